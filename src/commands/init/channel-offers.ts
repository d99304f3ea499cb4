import { isLoopback } from '../../text/loopback.ts'
import { mailboxFault } from '../../text/mailbox.ts'
import { isSmtpUrl, SMTP_URL_FORM } from '../../text/smtp-url.ts'

import { askEmail } from './ask-email.ts'
import { askNtfy } from './ask-ntfy.ts'
import { askTelegram } from './ask-telegram.ts'
import type { Dialog } from './dialog.ts'

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
  /** Where a person who has none yet gets the URL that is asked for. */
  where?: string
  /** Makes the channel's options in the configuration. `value` returns an answer, or a reference to it. */
  options(value: (variable: string) => string): Record<string, unknown>
  /** Asks in the conversation, where that takes more than the questions. @returns the channel's options */
  ask?(dialog: Dialog): Promise<Record<string, unknown>>
}

const webUrlFault = (answer: string) => {
  const { protocol, hostname } = parsed(answer)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
    ? undefined
    : 'It begins with https:// (http:// only on this machine)'
}

const mailUrlFault = (answer: string) =>
  isSmtpUrl(answer) ? undefined : `Not a URL of the form ${SMTP_URL_FORM}`

const parsed = (answer: string) => new URL(URL.canParse(answer) ? answer : 'none:')

const addressFault = (answer: string) => {
  const fault = mailboxFault(answer)
  return fault && `The answer ${fault}`
}

/** By type of channel. `init` uses the type as the channel's name in the configuration too. */
export const channelOffers: Readonly<Record<string, ChannelOffer>> = {
  desktop: { title: 'Desktop notification', questions: [], options: () => ({}) },
  terminal: {
    title: 'Terminal of the session, also over SSH',
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
    ask: askNtfy,
  },
  gotify: {
    title: 'Phone, through Gotify',
    questions: [
      {
        variable: 'GOTIFY_URL',
        text: 'URL of the server',
        isSecret: false,
        placeholder: 'https://gotify.example.com',
        fault: webUrlFault,
      },
      {
        variable: 'GOTIFY_TOKEN',
        text: 'Token, from the page Apps',
        isSecret: true,
        fault: (answer) =>
          /^[\x21-\x7e]{1,200}$/.test(answer) ? undefined : 'Not a token such as AbC.dEf123',
      },
    ],
    options: (value) => ({ server: value('GOTIFY_URL'), token: value('GOTIFY_TOKEN') }),
  },
  slack: offerWithUrl(
    'Slack',
    'SLACK_WEBHOOK_URL',
    'URL of an incoming webhook',
    'At https://api.slack.com/apps: your app (or a new one),\nIncoming Webhooks, Add New Webhook.',
  ),
  discord: offerWithUrl(
    'Discord',
    'DISCORD_URL',
    'URL of a webhook',
    'In the settings of the Discord channel: Integrations,\nWebhooks, Copy Webhook URL.',
  ),
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
    ask: (dialog) => askTelegram(dialog),
  },
  teams: offerWithUrl(
    'Microsoft Teams',
    'TEAMS_URL',
    'URL of its webhook workflow',
    'At the Teams channel: ••• (More options), Workflows, the\ntemplate that posts when a webhook request is received.',
  ),
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
        fault: addressFault,
      },
      {
        variable: 'MAIL_TO',
        text: 'To which address',
        isSecret: false,
        placeholder: 'you@example.com',
        fault: addressFault,
      },
    ],
    options: (value) => ({
      smtp: value('SMTP_URL'),
      from: value('MAIL_FROM'),
      to: [value('MAIL_TO')],
    }),
    ask: askEmail,
  },
  webhook: offerWithUrl('Webhook', 'WEBHOOK_URL', 'URL to post to'),
}

/** A channel that needs only a URL, which is a secret. */
function offerWithUrl(title: string, variable: string, text: string, where?: string): ChannelOffer {
  return {
    title,
    questions: [{ variable, text, isSecret: true, fault: webUrlFault }],
    ...(where !== undefined && { where }),
    options: (value) => ({ url: value(variable) }),
  }
}
