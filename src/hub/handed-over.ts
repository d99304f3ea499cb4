const HANDED_OVER = 'handed over to the hub as '

/** The text that the journal has for a message that was handed over. @param id the message's id at the hub */
export function handedOverAs(id: string): string {
  return HANDED_OVER + id
}

/** Reads the id back from such a text; undefined for the answer of any other channel. */
export function idAtHub(answer: string): string | undefined {
  return answer.startsWith(HANDED_OVER) ? answer.slice(HANDED_OVER.length) : undefined
}
