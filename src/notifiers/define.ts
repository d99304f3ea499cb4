import type * as z from 'zod'
import type { Answer, Delivery, Message, Urgency } from '../delivery.ts'
import type { AnswerChannel, Button, Form, Input } from './_answer-channel.ts'

export type { Button, Form, Input, Message, Urgency }

/** A markup language, such as HTML. */
export interface Markup {
  name: string
  /** Escapes a value so that it cannot act as markup. */
  escape(text: string): string
  parts: MarkupParts
}

/** Renders the parts of an agent's text. `inner` is already escaped, `text` is not. */
interface MarkupParts {
  bold(inner: string): string
  italic(inner: string): string
  strike(inner: string): string
  code(text: string): string
  codeBlock(text: string): string
  /** The URL of a link, shown as text: links are never made live. */
  address(text: string): string
  paragraph(inner: string): string
  quote(inner: string): string
  /** @param first the number of the first item; without it the items are not numbered */
  list(items: readonly string[], first?: number): string
  /** @param words the same moment in words, for receivers that cannot format a time; already escaped */
  moment(at: number, words: string): string
}

/** The part of a request that depends on the message: `send` sends it, `hookbell preview` shows it. */
export interface Composed {
  /** In the order in which they are shown; without the channel's secrets. */
  headers?: Readonly<Record<string, string>>
  /** A text, or an object that is sent as JSON or passed on field by field. */
  body: string | object
  /** The same body as HTML, where the receiver gets both. */
  html?: string
}

/** What `compose` may depend on, besides the message and the options of its channel. */
export interface ComposeContext {
  /** Unix ms. */
  now: number
  /** 1 for the first try. */
  attempt: number
  /** The delivery of the message, for a notifier that hands it to another machine (hub). */
  delivery?: Pick<Delivery, 'events' | 'host' | 'channel' | 'session' | 'acceptedAt' | 'expires'>
}

export interface SendContext extends ComposeContext {
  /** Aborted when the delivery's deadline has passed. Must be handed to every network call. */
  signal: AbortSignal
  /** PEM file of authorities to trust besides the usual ones. */
  extraCaFile?: string | undefined
  /** Facts of the session the event came from (DBUS_SESSION_BUS_ADDRESS, TMUX, ...). */
  sessionEnv: Readonly<Record<string, string>>
  /** Nothing may sound: it is one of the person's quiet hours. */
  isQuiet?: boolean | undefined
  /** The handle of an earlier message of the session, which this one replaces if that is still possible. */
  replaces?: string | undefined
  /** It must not replace another message of the session: one that waits for an answer is shown, or being withdrawn. */
  isBeside?: boolean | undefined
  /** Sent in the place of the text: the question can be answered there. Only where the notifier has `answers`. */
  form?: Form | undefined
  /** The recipients who did not get the message in an earlier attempt; the others have it. */
  remaining?: readonly string[] | undefined
}

/**
 * The receiver's own answer, in one short line. With a handle where the message can be withdrawn or replaced later:
 * a short text that only this notifier understands. A message that replaced another one keeps its handle. With
 * `remaining` where the receiver has accepted it, but for these recipients may do so only later.
 */
export type Sent = string | { answer: string; handle?: string; remaining?: string[] }

/**
 * `retry`: may succeed later. `give-up`: will never succeed unless something is corrected.
 * `unavailable`: this machine or session lacks what the channel needs (a desktop); recorded, not retried, no failure.
 */
export type Verdict = 'retry' | 'give-up' | 'unavailable'

/** Why a notifier could not deliver. Anything else that a notifier throws counts as `retry`. */
export class DeliveryError extends Error {
  override name = 'DeliveryError'
  readonly verdict: Verdict
  /** How long the receiver asks us to wait, in milliseconds from now. Applies to the whole destination. */
  readonly retryAfterMs: number | undefined
  readonly hint: string | undefined
  /** No message, whatever its content, will get through until a person corrects the channel. */
  readonly isChannelDead: boolean
  /** The message may have arrived nevertheless: with this handle it can be withdrawn. */
  readonly handle: string | undefined

  constructor(
    verdict: Verdict,
    message: string,
    options: {
      retryAfterMs?: number | undefined
      hint?: string | undefined
      cause?: unknown
      isChannelDead?: boolean
      handle?: string | undefined
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.verdict = verdict
    this.retryAfterMs = options.retryAfterMs
    this.hint = options.hint
    this.isChannelDead = options.isChannelDead === true
    this.handle = options.handle
  }
}

/** Why a delivery is aborted: its deadline has passed. */
export class DeadlineError extends DeliveryError {
  readonly limitMs: number

  constructor(limitMs: number) {
    super('retry', `no answer within ${limitMs / 1000} s`)
    this.limitMs = limitMs
  }
}

/** The failure of a notifier whose signal was aborted. `what` did not happen, in the notifier's own words. */
export function tooLate(name: string, { reason }: AbortSignal, what = 'no answer'): DeliveryError {
  const limit = reason instanceof DeadlineError ? `within ${reason.limitMs / 1000} s` : 'in time'
  return new DeliveryError('retry', `${name}: ${what} ${limit}`)
}

/** The code for one type of channel. It never retries, never prints and never logs: the worker does. */
export interface Notifier<Options extends z.ZodObject = z.ZodObject> {
  /** Equals the file name, the registry key and the `type` of a channel. */
  name: string
  title: string
  /** One strict object. Every field has `.describe()`; secrets carry `.meta({ secret: true })`. */
  options: Options
  /** The option with the URL of the server to which `doctor` tries to connect. */
  serverOption?: keyof z.output<Options> & string
  /** The markup language of `message.markup`; its name is also its folder in templates/. */
  markup?: Markup
  /** People read its messages, so many waiting ones may be combined into one summary. */
  summarizes?: boolean
  /** Its messages leave this machine, so its channels have less clearance unless they set their own. */
  leavesMachine?: boolean
  /** It keeps a record and disturbs nobody: nothing counts as noise there, unless a channel says so. */
  isRecord?: boolean
  /** How many messages may be under way at once. Default 4. */
  concurrency?: number
  /** Messages arrive in the order of the calls to `send`, even when those overlap. */
  keepsOrder?: boolean
  /** The minimum time between two messages to the same destination. */
  pace?: { minIntervalMs: number; destination(options: z.output<Options>): string }
  /** Builds what `send` sends. Sends nothing and reads nothing but its arguments. @throws DeliveryError */
  compose?(
    message: Message,
    options: z.output<Options>,
    context: ComposeContext,
  ): Composed | Promise<Composed>
  /** Whether a message can replace an earlier one; only then does `send` get `replaces`. Default: no. */
  canReplace?(options: z.output<Options>): boolean
  /**
   * Resolves once the receiver has accepted the message. Heavy packages are imported here, on first use.
   * @throws DeliveryError
   */
  send(message: Message, options: z.output<Options>, context: SendContext): Promise<Sent>
  /**
   * Withdraws a message that is still shown, by the handle that `send` returned. Resolves with what was done, in one
   * short line; a message that is already gone is not an error.
   * @throws DeliveryError
   */
  withdraw?(
    handle: string,
    options: z.output<Options>,
    context: Omit<SendContext, 'attempt' | 'now' | 'replaces'>,
  ): Promise<string>
  /**
   * Replaces the text of a message that is still shown, without alerting anybody again. Resolves with its handle, which
   * may be a new one; a message that is already gone is not an error.
   * @throws DeliveryError
   */
  update?(
    handle: string,
    message: Message,
    options: z.output<Options>,
    context: Pick<SendContext, 'signal' | 'sessionEnv' | 'now' | 'extraCaFile'>,
  ): Promise<string>
  /** Its questions can be answered where they are shown. */
  answers?: AnswerChannel<Options>
  /**
   * Reports that a session was answered, for a notifier whose earlier messages may wait or be shown elsewhere (hub).
   * @throws DeliveryError
   */
  tellAnswer?(
    answer: Answer,
    options: z.output<Options>,
    context: Pick<SendContext, 'signal' | 'extraCaFile' | 'now'>,
  ): Promise<void>
}

export function defineNotifier<Options extends z.ZodObject>(
  notifier: Notifier<Options>,
): Notifier<Options> {
  return notifier
}
