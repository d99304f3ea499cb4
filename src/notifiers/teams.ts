import * as z from 'zod'
import { type HttpAnswer, isSuccess } from './_http.ts'
import { signOf } from './_kind-signs.ts'
import { answerLine, httpFailure, secureUrl, urlSecrets } from './_network.ts'
import { parseAnswer, requestJson } from './_request-json.ts'
import { boundLine, boundText, originOf, wayOnOf } from './_text.ts'
import { DeliveryError, defineNotifier, type Message, type SendContext } from './define.ts'

// Teams documents 28 KB for a message; refusals were seen from 21 KB on. With these limits, a card has less than 20 KB.
const TITLE_LENGTH = 256
const TEXT_LENGTH = 3500
const MAX_LINES = 60

const options = z.strictObject({
  url: secureUrl.describe('URL of a Teams workflow for webhook requests').meta({ secret: true }),
  bareCard: z
    .boolean()
    .default(false)
    .describe('Send the card alone, for a workflow that posts what it receives as a card'),
})

const refused = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/** Why no message starts the workflow, by the code of the answer, and what to do. */
const faultsOfWorkflow = new Map([
  ['TriggerInputSchemaMismatch', "Create the workflow from Teams' template for webhook requests"],
  ['WorkflowTriggerIsNotEnabled', 'Turn the workflow on'],
])

type Channel = z.output<typeof options>

export const teams = defineNotifier({
  name: 'teams',
  title: 'Microsoft Teams',
  options,
  serverOption: 'url',
  summarizes: true,
  leavesMachine: true,
  compose: composeTeams,
  // Teams throttles above four requests a second.
  pace: { minIntervalMs: 1000, destination: ({ url }) => url },
  async send(message, channel, context) {
    const { url } = channel
    const secrets = urlSecrets(url)
    const { body } = composeTeams(message, channel, context)
    const answer = await requestJson('teams', { url, body, secrets }, context)
    const { status, statusText } = answer
    if (!isSuccess(answer)) throw failureOf(answer, secrets)
    const text = answerLine(answer.text, secrets)
    // A page, such as of a network that asks for a login, or the old connector's text for a message that it could not post.
    if (/^\s*<|delivery failed/i.test(answer.text)) {
      throw new DeliveryError('retry', `teams: ${status}, but it said: ${text}`, {
        hint: 'Check that the URL is that of a workflow, and that no login page is in between',
      })
    }
    return text || `${status} ${answerLine(statusText, secrets)}`.trim()
  },
})

function failureOf(answer: HttpAnswer, secrets: readonly string[]): DeliveryError {
  const { code = '', message = '' } = refused.safeParse(parseAnswer(answer)).data?.error ?? {}
  const text = answerLine(code ? `${code}: ${message}` : answer.text, secrets)
  const fault = faultsOfWorkflow.get(code)
  const hint = fault ?? hintFor(answer.status)
  return httpFailure('teams', { ...answer, text, hint, isChannelDead: fault !== undefined })
}

function hintFor(status: number): string | undefined {
  if (status === 401 || status === 403)
    return 'Let the workflow be triggered by anyone, or copy its URL again: it contains a signature'
  if (status === 404) return 'Turn the workflow on, or create it again and set its URL'
  return undefined
}

function composeTeams(
  message: Message,
  { bareCard }: Pick<Channel, 'bareCard'>,
  { now }: Pick<SendContext, 'now'>,
) {
  const content = cardOf(message, now)
  const contentType = 'application/vnd.microsoft.card.adaptive'
  const body = bareCard
    ? content
    : { type: 'message', attachments: [{ contentType, contentUrl: null, content }] }
  return { body }
}

function cardOf(message: Message, now: number) {
  const title = boundLine(message.title, TITLE_LENGTH) || 'hookbell'
  const sign = signOf(message.kind)?.emoji
  const small = boundLine(originOf(message, now).join(' · '), TITLE_LENGTH * 2)
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    // What notifications show in place of the card.
    fallbackText: title,
    body: [
      line([sign, title].filter(Boolean).join(' '), { size: 'Medium', weight: 'Bolder' }),
      ...linesOf(message.body),
      ...[small, wayOnOf(message)]
        .filter(Boolean)
        .map((text) => line(text, { size: 'Small', isSubtle: true })),
    ],
  }
}

/** One block per line, because a block loses its line ends; an empty line becomes the space before the next one. */
function linesOf(text: string) {
  const lines = boundText(text, TEXT_LENGTH).split('\n')
  const isEmpty = (at: number) => lines[at]?.trim() === ''
  const blocks = lines.flatMap((one, at) =>
    isEmpty(at) ? [] : [line(indented(one), {}, at === 0 || isEmpty(at - 1) ? 'Small' : 'None')],
  )
  return blocks.length > MAX_LINES ? [...blocks.slice(0, MAX_LINES), line('…', {})] : blocks
}

/** Spaces at the start of a block are not shown. */
function indented(text: string): string {
  return text.replace(/^ +/, (spaces) => '\u00a0'.repeat(spaces.length))
}

/** A block in which nothing is markup, unlike in a TextBlock. */
function line(text: string, style: object, spacing: 'None' | 'Small' = 'Small') {
  return { type: 'RichTextBlock', spacing, inlines: [{ type: 'TextRun', text, ...style }] }
}
