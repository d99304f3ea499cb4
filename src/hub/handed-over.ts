const HANDED_OVER = 'handed over to the hub as '

/** What the journal says of it. */
export function handedOverAs(id: string): string {
  return HANDED_OVER + id
}

/** The other way round: the id at the hub; undefined for the answer of any other channel. */
export function idAtHub(answer: string): string | undefined {
  return answer.startsWith(HANDED_OVER) ? answer.slice(HANDED_OVER.length) : undefined
}
