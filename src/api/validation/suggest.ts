/** What other libraries call our options. */
const synonyms: { readonly [meant: string]: RegExp } = {
  apiKey: /^(auth|authtoken|key|token)$/,
  baseUrl: /^(host|url)$/,
  retries: /^(maxretries|retry)$/,
  headers: /^defaultheaders$/,
  transport: /^fetch$/,
}

/** A question to append to a message; empty without a suggestion. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = suggest(name, known)
  return meant ? `; did you mean ${meant}?` : ''
}

/** The known name that was probably meant, or undefined. */
function suggest(name: string, known: readonly string[]): string | undefined {
  const plain = simplify(name)
  const synonym = known.find((one) => synonyms[one]?.test(plain))
  if (synonym) return synonym
  const most = Math.min(2, Math.floor(plain.length / 3))
  for (let changes = 0; changes <= most; changes += 1) {
    const near = known.find((one) => isNear(plain, simplify(one), changes))
    if (near) return near
  }
  return undefined
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '')
}

/** Whether one becomes the other with at most `changes` letters changed, added or dropped. */
function isNear(one: string, other: string, changes: number): boolean {
  if (one === other) return true
  const [rest, otherRest] = [one.slice(1), other.slice(1)]
  if (one[0] === other[0] && one) return isNear(rest, otherRest, changes)
  const left = changes - 1
  return (
    changes > 0 &&
    (isNear(rest, otherRest, left) || isNear(rest, other, left) || isNear(one, otherRest, left))
  )
}
