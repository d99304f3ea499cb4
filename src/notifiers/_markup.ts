import type { Markup } from './define.ts'

const entities: { [mark: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const slackMarkup: Markup = {
  name: 'slack',
  // Slack reads * _ ~ ` only at the edge of a word; a zero-width space on both sides takes that edge away.
  escape: (text) =>
    text.replace(/[&<>]/g, (mark) => entities[mark] ?? mark).replace(/[*_~`]/g, '\u200b$&\u200b'),
}

export const htmlMarkup: Markup = {
  name: 'html',
  escape: (text) => text.replace(/[&<>"']/g, (mark) => entities[mark] ?? mark),
}
