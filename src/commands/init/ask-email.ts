import { parseMailbox, readMailboxes } from '../../text/mailbox.ts'
import type { Dialog } from './dialog.ts'

interface Preset {
  title: string
  /** Absent: it is asked for. */
  server?: string
  password: string
  user: string
}

const APP_PASSWORD = 'App password, not that of the account'
const ADDRESS = 'Your address there'

/** What the providers document. Outlook.com is not among them: it takes no passwords from programs. */
const presets = {
  // https://support.google.com/a/answer/176600 and https://support.google.com/accounts/answer/185833
  gmail: {
    title: 'Gmail',
    server: 'smtps://smtp.gmail.com',
    user: ADDRESS,
    password: APP_PASSWORD,
  },
  // https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission
  microsoft: {
    title: 'Microsoft 365 with SMTP AUTH (not Outlook.com)',
    server: 'smtp://smtp.office365.com',
    user: ADDRESS,
    password: 'Password',
  },
  // https://support.apple.com/102525: port 587 with STARTTLS
  icloud: {
    title: 'iCloud Mail',
    server: 'smtp://smtp.mail.me.com',
    user: ADDRESS,
    password: APP_PASSWORD,
  },
  // https://www.fastmail.help/hc/en-us/articles/1500000278342
  fastmail: {
    title: 'Fastmail',
    server: 'smtps://smtp.fastmail.com',
    user: ADDRESS,
    password: APP_PASSWORD,
  },
  other: { title: 'Another server', user: 'User, empty for none', password: 'Password' },
} satisfies Record<string, Preset>

/** Asks for the parts of a mail channel. @returns its options */
export async function askEmail(dialog: Dialog): Promise<Record<string, unknown>> {
  const titles = Object.fromEntries(Object.entries(presets).map(([key, { title }]) => [key, title]))
  const chosen = await dialog.choose('Sent by', titles as Record<keyof typeof presets, string>)
  const preset: Preset = presets[chosen]
  const server = preset.server ?? (await askServer(dialog))
  const user = await dialog.text(preset.user, {
    fault: (text) =>
      chosen === 'other' || parseMailbox(text) ? undefined : 'An address, such as me@example.com',
  })
  const smtp = user ? withLogin(server, user, await askPassword(preset, dialog)) : server
  const isAddress = parseMailbox(user) !== undefined
  const from = await askAddresses('From', isAddress ? user : undefined, dialog)
  const to = await askAddresses('To, several with commas', isAddress ? user : undefined, dialog)
  return { smtp, from: from[0], to }
}

async function askServer(dialog: Dialog): Promise<string> {
  const answer = await dialog.text('Server (its port, if not 587, as :465)', {
    placeholder: 'mail.example.com:465',
    fault: (text) =>
      readServer(text) ? undefined : 'Such as mail.example.com or mail.example.com:465',
  })
  return readServer(answer) ?? answer
}

/** Reads `mail.example.com`, `mail.example.com:465` and `smtps://mail.example.com`: on port 465 all is encrypted from the start. */
export function readServer(text: string): string | undefined {
  const [, scheme, place = ''] = /^(?:(smtps?):\/\/)?([^/@\s?#]+)\/?$/i.exec(text) ?? []
  const usual = /:465$/.test(place) ? 'smtps' : 'smtp'
  const url = `${scheme?.toLowerCase() ?? usual}://${place}`
  if (!URL.canParse(url) || new URL(url).hostname === '') return undefined
  return /^\[|^[^:]*(:\d+)?$/.test(place) ? url : undefined
}

async function askPassword({ password }: Preset, dialog: Dialog): Promise<string> {
  const answer = await dialog.secret(password, (text) => (text ? undefined : 'Type or paste it'))
  // Part of a URL: some of its characters mean something else there.
  return dialog.store('SMTP_PASSWORD', encodeURIComponent(answer))
}

function withLogin(server: string, user: string, password: string): string {
  return server.replace('://', `://${encodeURIComponent(user)}:${password}@`)
}

async function askAddresses(
  question: string,
  initial: string | undefined,
  dialog: Dialog,
): Promise<readonly string[]> {
  const isOne = question === 'From'
  const read = (text: string) => {
    const found = readMailboxes(text)
    if ('fault' in found) return found
    return isOne && found.length > 1 ? { fault: 'One address' } : found
  }
  const answer = await dialog.text(question, {
    placeholder: 'me@example.com',
    ...(initial !== undefined && { initial }),
    fault: (text) => {
      const found = read(text)
      return 'fault' in found ? found.fault : undefined
    },
  })
  const found = read(answer)
  return 'fault' in found ? [] : found
}
