import type * as z from 'zod'

/** A button: what it says, and what comes back when it is pressed. */
export interface Button {
  label: string
  data: string
}

/** A question with all that is needed to answer it where it is shown. */
export interface Form {
  title: string
  text: string
  /** What can be done, or what became of it. */
  note: string
  /** In rows. */
  buttons: readonly (readonly Button[])[]
}

/** What somebody did on a channel. Numbers that never change say who and where; names do not count. */
export interface Input {
  person: string
  chat: string
  /** When it was done, Unix ms, if the service says so. */
  at?: number
  /** The message whose button was pressed, or that was replied to. */
  handle?: string
  /** The data of the button. */
  data?: string
  /** The text that was written. */
  text?: string
  /** Why it must not count, such as `a forwarded message`. */
  doubt?: string
}

interface CallContext {
  signal: AbortSignal
  /** PEM file of authorities to trust besides the usual ones. */
  extraCaFile?: string | undefined
}

export interface ListenContext extends CallContext {
  /** Aborted when nothing is to be answered any more. */
  signal: AbortSignal
  /** Called when the service can be heard. */
  onReady(): void
  /** Resolves with what the person is told; '' for nothing. Never rejects. */
  onInput(input: Input): Promise<string>
}

/** What a notifier offers whose questions can be answered where they are shown. Only outbound connections. */
export interface AnswerChannel<Options extends z.ZodObject> {
  /** How long a text may be of which a form shows all. */
  room: number
  /** Where the messages of a channel with these options are shown; undefined if questions cannot be answered there. */
  chat(options: z.output<Options>): string | undefined
  /** What its options must be, where there is no such place. */
  needs: string
  /** What listens: of channels with the same, only one reader may run. */
  listener(options: z.output<Options>): string
  /** Hears what people do until its signal is aborted. @throws DeliveryError */
  listen(options: z.output<Options>, context: ListenContext): Promise<void>
  /** Shows another form in the place of one. One that is gone is not an error. @throws DeliveryError */
  change(
    handle: string,
    form: Form,
    options: z.output<Options>,
    context: CallContext,
  ): Promise<void>
}
