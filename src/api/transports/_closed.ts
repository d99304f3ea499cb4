/** Why a closed client sends nothing. To try again would not help. */
export function closedError() {
  return Object.assign(new Error('the client is closed'), { code: 'ERR_CLOSED' })
}
