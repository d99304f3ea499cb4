/** Eight characters tell sessions apart. */
const LENGTH = 8

/**
 * The start of a session's id, as messages and lists show it, with the word that all ids of a client may begin with, such
 * as `session_`. Commands take it in the place of the id.
 */
export function shortSession(id: string): string {
  const [word = ''] = /^[a-z]{1,16}_/.exec(id) ?? []
  return id.slice(0, word.length + LENGTH).toWellFormed()
}
