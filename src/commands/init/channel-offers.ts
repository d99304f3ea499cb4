import { isLoopback } from '../../text/loopback.ts'

/** A question about a value that a channel needs. */
export interface Question {
  /** Name of the secret that the answer becomes; with `--channel`, of the shell variable that has the value. */
  variable: string
  text: string
  /** Not shown while it is typed, and stored in `secrets.env`. */
  isSecret: boolean
  placeholder?: string
  /** Says what is wrong with an answer; undefined if nothing is. */
  fault(answer: string): string | undefined
}

/** A channel that `init` can set up. */
export interface ChannelOffer {
  title: string
  questions: readonly Question[]
  /** Makes the channel's options in the configuration. `value` returns an answer, or a reference to it. */
  options(value: (variable: string) => string): Record<string, unknown>
}

const webUrlFault = (answer: string) => {
  const { protocol, hostname } = parsed(answer)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
    ? undefined
    : 'Not a URL that begins with https:// (http:// only for this machine)'
}

const mailUrlFault = (answer: string) => {
  const { protocol, hostname } = parsed(answer)
  return /^smtps?:$/.test(protocol) && hostname !== ''
    ? undefined
    : 'Not a URL that begins with smtps:// or smtp://'
}

const parsed = (answer: string) => new URL(URL.canParse(answer) ? answer : 'none:')

const isAddress = (answer: string) =>
  /^[^\s@<>]+@[^\s@<>]+$/.test(answer) ? undefined : 'Not a mail address'

/** By type of channel. `init` uses the type as the channel's name in the configuration too. */
export const channelOffers: Readonly<Record<string, ChannelOffer>> = {
  desktop: { title: 'Desktop notification', questions: [], options: () => ({}) },
  terminal: {
    title: "Bell or notification of the session's terminal, also over SSH",
    questions: [],
    options: () => ({}),
  },
  ntfy: {
    title: 'Phone, through ntfy',
    questions: [
      {
        variable: 'NTFY_TOPIC',
        text: 'Topic (anybody who knows it can read the messages)',
        isSecret: true,
        fault: (answer) =>
          /^[-_A-Za-z0-9]{1,64}$/.test(answer)
            ? undefined
            : 'Up to 64 letters, digits, "-" and "_", as in the ntfy app',
      },
    ],
    options: (value) => ({ topic: value('NTFY_TOPIC') }),
  },
  slack: {
    title: 'Slack',
    questions: [
      {
        variable: 'SLACK_WEBHOOK_URL',
        text: 'URL of an incoming webhook',
        isSecret: true,
        fault: webUrlFault,
      },
    ],
    options: (value) => ({ url: value('SLACK_WEBHOOK_URL') }),
  },
  discord: {
    title: 'Discord',
    questions: [
      {
        variable: 'DISCORD_URL',
        text: 'URL of a webhook',
        isSecret: true,
        fault: webUrlFault,
      },
    ],
    options: (value) => ({ url: value('DISCORD_URL') }),
  },
  telegram: {
    title: 'Telegram',
    questions: [
      {
        variable: 'TELEGRAM_TOKEN',
        text: 'Token of the bot, from @BotFather',
        isSecret: true,
        fault: (answer) =>
          /^\d{1,20}:[\w-]{20,100}$/.test(answer) ? undefined : 'Not a token such as 123456:ABC...',
      },
      {
        variable: 'TELEGRAM_CHAT',
        text: 'Id of the chat, to which you have written before',
        isSecret: false,
        placeholder: '123456789',
        fault: (answer) =>
          /^(?:-?\d{1,20}|@\w{1,64})$/.test(answer)
            ? undefined
            : 'Not the id of a chat, or the @name of a channel',
      },
    ],
    options: (value) => ({ token: value('TELEGRAM_TOKEN'), chat: value('TELEGRAM_CHAT') }),
  },
  teams: {
    title: 'Microsoft Teams',
    questions: [
      {
        variable: 'TEAMS_URL',
        text: 'URL of a workflow that is triggered by a webhook request',
        isSecret: true,
        fault: webUrlFault,
      },
    ],
    options: (value) => ({ url: value('TEAMS_URL') }),
  },
  email: {
    title: 'Mail',
    questions: [
      {
        variable: 'SMTP_URL',
        text: 'Mail server with name and password, such as smtps://user:password@mail.example.com',
        isSecret: true,
        fault: mailUrlFault,
      },
      {
        variable: 'MAIL_FROM',
        text: 'From which address',
        isSecret: false,
        placeholder: 'agents@example.com',
        fault: isAddress,
      },
      {
        variable: 'MAIL_TO',
        text: 'To which address',
        isSecret: false,
        placeholder: 'you@example.com',
        fault: isAddress,
      },
    ],
    options: (value) => ({
      smtp: value('SMTP_URL'),
      from: value('MAIL_FROM'),
      to: [value('MAIL_TO')],
    }),
  },
  webhook: {
    title: 'Webhook',
    questions: [
      {
        variable: 'WEBHOOK_URL',
        text: 'URL to post to',
        isSecret: true,
        fault: webUrlFault,
      },
    ],
    options: (value) => ({ url: value('WEBHOOK_URL') }),
  },
}
