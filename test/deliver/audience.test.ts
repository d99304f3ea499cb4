import { expect, it } from 'vitest'
import { parseConfig } from '../../src/config/load/load.ts'
import { disturbsSomebody, keepsOrder, readChannels } from '../../src/deliver/audience.ts'

const channels = {
  log: { type: 'file', path: '/nowhere' },
  hook: { type: 'webhook', url: 'https://a.example/' },
  team: { type: 'slack', url: 'https://hooks.slack.com/services/x' },
  desk: { type: 'desktop' },
}
const { config } = parseConfig(JSON.stringify({ channels }), {
  path: 'config.json',
  secrets: { file: new Map(), env: {} },
})
const names = [...Object.keys(channels), 'gone']

it('a file disturbs nobody, and people read chats and desktops, not programs', () => {
  expect(names.filter((name) => disturbsSomebody(name, config))).toEqual(names.slice(1))
  expect(readChannels(config)).toEqual(['team', 'desk'])
})

it('messages to a file keep their order even if they overlap, others need not', () => {
  expect(names.filter((name) => keepsOrder(name, config))).toEqual(['log'])
})
