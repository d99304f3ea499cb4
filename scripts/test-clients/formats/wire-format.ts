/** The requests and responses of a model, in the format of one service. */
export interface WireFormat {
  path: RegExp
  answer(
    text: string,
    request: { path: string; stream: boolean },
  ): { json: object } | { events: readonly { event?: string; data: object | string }[] }
}
