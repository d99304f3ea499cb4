/** What other libraries call our options. */
const synonyms: Readonly<Record<string, string>> = {
  auth: 'apiKey',
  authtoken: 'apiKey',
  defaultheaders: 'headers',
  fetch: 'transport',
  host: 'baseUrl',
  key: 'apiKey',
  maxretries: 'retries',
  retry: 'retries',
  timeout: 'timeoutMs',
  token: 'apiKey',
  url: 'baseUrl',
}

/** The known name that was probably meant, or undefined. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const plain = simplify(name)
  const synonym = synonyms[plain]
  if (synonym !== undefined && known.includes(synonym)) return synonym
  const near = known.map((one) => ({ one, far: distance(plain, simplify(one)) }))
  near.sort((a, b) => a.far - b.far)
  const [best] = near
  return best && best.far <= Math.min(2, plain.length / 3) ? best.one : undefined
}

/** A question to add to a message, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = suggest(name, known)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '')
}

const LONGEST_NAME = 40

/** How many letters have to be changed, added or dropped. */
function distance(one: string, other: string): number {
  if (one.length > LONGEST_NAME) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, otherLetter] of [...other].entries()) {
      const change = (row[j] ?? 0) + (letter === otherLetter ? 0 : 1)
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
