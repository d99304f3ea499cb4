import type * as z from 'zod'
import type { Answer, Delivery, Message, Urgency } from '../delivery.ts'

export type { Message, Urgency }

/** A format of text. */
export interface Markup {
  name: string
  /** How a value becomes a part that cannot act as markup. */
  escape(text: string): string
  parts: MarkupParts
}

/** What a text of an agent is made of. `inner` is escaped already, `text` is not. */
export interface MarkupParts {
  bold(inner: string): string
  italic(inner: string): string
  strike(inner: string): string
  code(text: string): string
  codeBlock(text: string): string
  /** Of a link, which is never made live. */
  address(text: string): string
  paragraph(inner: string): string
  quote(inner: string): string
  /** @param first the number of the first item; without one they have none */
  list(items: readonly string[], first?: number): string
  /** @param words the same moment in words, for whoever cannot show it otherwise; escaped already */
  moment(at: number, words: string): string
}

/** What is to be sent, as far as it depends on the message: what `send` sends and `hookbell preview` shows. */
export interface Composed {
  /** In their order; without the secrets of the channel. */
  headers?: Readonly<Record<string, string>>
  /** A text, or an object that is sent as JSON or handed over by its fields. */
  body: string | object
  /** The same in HTML, where the receiver gets both. */
  html?: string
}

/** What a message may depend on, besides itself and its channel. */
export interface ComposeContext {
  /** Unix ms. */
  now: number
  /** 1 for the first try. */
  attempt: number
  /** What the message belongs to, for a notifier that hands it on instead of telling it. */
  delivery?: Pick<Delivery, 'events' | 'host' | 'channel' | 'session' | 'acceptedAt' | 'expires'>
}

export interface SendContext extends ComposeContext {
  /** Aborted when the delivery's deadline is over. Must reach every network step. */
  signal: AbortSignal
  /** Facts of the session the event came from (DISPLAY, DBUS_SESSION_BUS_ADDRESS, ...). */
  sessionEnv: Readonly<Record<string, string>>
  /** The handle of an earlier message of the session, whose place this one takes where that still can be. */
  replaces?: string | undefined
}

/**
 * The receiver's own answer, in one short line. With a handle where the message can be withdrawn or replaced later:
 * a short text that means something to this notifier alone. One that took the place of another has its handle.
 */
export type Sent = string | { answer: string; handle: string }

/**
 * `retry`: may succeed later. `give-up`: will never succeed as it stands.
 * `unavailable`: this machine or session has no such thing (no desktop); recorded, neither retried nor a failure.
 */
export type Verdict = 'retry' | 'give-up' | 'unavailable'

/** Why a notifier could not deliver. Anything else that a notifier throws counts as `retry`. */
export class DeliveryError extends Error {
  override name = 'DeliveryError'
  readonly verdict: Verdict
  /** The receiver's own wish, in milliseconds from now. Holds for the whole destination. */
  readonly retryAfterMs: number | undefined
  readonly hint: string | undefined
  /** With `give-up`: no message will get through as the channel stands, whatever it says. */
  readonly isChannelDead: boolean

  constructor(
    verdict: Verdict,
    message: string,
    options: {
      retryAfterMs?: number | undefined
      hint?: string
      cause?: unknown
      isChannelDead?: boolean
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.verdict = verdict
    this.retryAfterMs = options.retryAfterMs
    this.hint = options.hint
    this.isChannelDead = verdict === 'give-up' && options.isChannelDead === true
  }
}

/** The code for one type of channel. It never retries, never prints and never logs: the worker does. */
export interface Notifier<Options extends z.ZodObject = z.ZodObject> {
  /** Equals the file name, the registry key and the `type` of a channel. */
  name: string
  title: string
  /** One strict object. Every field has `.describe()`; secrets carry `.meta({ secret: true })`. */
  options: Options
  /** What `message.markup` is written in, and the folder in templates/ that has the texts for it. */
  markup?: Markup
  /** People read it, so that many waiting messages may be told in one summary. */
  summarizes?: boolean
  /** What it sends leaves this machine, so that its channels have less clearance unless they say otherwise. */
  leavesMachine?: boolean
  /** It keeps a record and disturbs nobody: nothing is noise there, unless a channel says so. */
  isRecord?: boolean
  /** How many messages may be under way at once. Default 4. */
  concurrency?: number
  /** Messages arrive in the order of the calls, also while the first is under way. */
  keepsOrder?: boolean
  /** At least this long between two messages to the same destination. */
  pace?: { minIntervalMs: number; destination(options: z.output<Options>): string }
  /** Builds what `send` sends. Sends nothing and looks at nothing but its arguments. @throws DeliveryError */
  compose?(
    message: Message,
    options: z.output<Options>,
    context: ComposeContext,
  ): Composed | Promise<Composed>
  /** Whether a message can take the place of an earlier one, so that `replaces` is handed in. Default: no. */
  canReplace?(options: z.output<Options>): boolean
  /**
   * Resolves once the receiver has accepted the message. Heavy packages are imported here, on first use.
   * @throws DeliveryError
   */
  send(message: Message, options: z.output<Options>, context: SendContext): Promise<Sent>
  /**
   * Takes back a message that is still shown, by the handle that `send` gave. Resolves with what was done, in one short
   * line, also where it was gone already.
   * @throws DeliveryError
   */
  withdraw?(
    handle: string,
    options: z.output<Options>,
    context: Omit<SendContext, 'attempt' | 'now' | 'replaces'>,
  ): Promise<string>
  /**
   * Says that a session was answered, where what it sent before may still wait, or be shown, out of our reach.
   * @throws DeliveryError
   */
  tellAnswer?(
    answer: Answer,
    options: z.output<Options>,
    context: Pick<SendContext, 'signal' | 'now'>,
  ): Promise<void>
}

export function defineNotifier<Options extends z.ZodObject>(
  notifier: Notifier<Options>,
): Notifier<Options> {
  return notifier
}
