export type MadeUp = ReturnType<typeof makeMadeUp>

/** How the ID begins that is made up for what this field names. */
const prefixes: Readonly<Record<string, string>> = {
  computerId: 'comp',
  sessionId: 'sess',
  installSessionId: 'sess',
  messageId: 'msg',
  parentId: 'msg',
  ownerId: 'user',
  user_id: 'user',
  serviceAccountId: 'sa',
  keyId: 'key',
  wikiRunId: 'wiki',
  repoId: 'repo',
  org_id: 'org',
}

/**
 * Makes up values in the place of real ones. The same original always gives the same value, so that references hold, and
 * different ones give different values. Nothing of an original is part of its value.
 */
export function makeMadeUp() {
  const known = new Map<string, string>()
  const counts = new Map<string, number>()
  const pick = (space: string, original: string, make: (number: number) => string) => {
    const key = `${space} ${original}`
    const found = known.get(key)
    if (found !== undefined) return found
    const number = (counts.get(space) ?? 0) + 1
    counts.set(space, number)
    const made = make(number)
    known.set(key, made)
    return made
  }
  return {
    /** All IDs share one space: an ID is the same in whatever field it stands. */
    id: (original: string, prefix = 'id') => pick('id', original, (n) => `${prefix}_${n}`),
    uuid: (original: string) =>
      pick('uuid', original, (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`),
    /** The letter case of an address does not matter. */
    email: (original: string) =>
      pick('email', original.trim().toLowerCase(), (n) => `person-${n}@example.com`),
    url: (original: string) => pick('url', original, (n) => `https://example.com/${n}`),
    /** The value of a field: an ID or a URL if its name says so. */
    text(field: string, original: string, prefix?: string) {
      if (/(^|_)ids?$|Ids?$/.test(field)) return this.id(original, prefix ?? prefixes[field])
      if (/url$/i.test(field)) return this.url(original)
      return pick(`text ${field}`, original, (n) => `${field}-${n}`)
    },
  }
}
