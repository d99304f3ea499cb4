/** Why a closed client sends nothing. To try again would not help. */
export class ClosedError extends Error {
  readonly code = 'ERR_CLOSED'

  constructor() {
    super('the client is closed')
  }
}
