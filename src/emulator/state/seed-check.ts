import type * as z from 'zod'

/** The parts of a seed that refer to one another. */
interface Parts {
  users: readonly { id: string; email: string; role: string; apiKey?: string }[]
  invitations: readonly { email: string }[]
  serviceAccounts: readonly {
    id: string
    keys: readonly { id: string; value: string }[]
  }[]
  computers: readonly { id: string; name: string; ownerId: string; apiKey?: string }[]
  sessions: readonly {
    id: string
    computerId: string
    messages: readonly { id?: string | undefined }[]
  }[]
  wikiRuns: readonly { id: string }[]
  readinessReports: readonly { reportId: string }[]
}

/** Reports duplicate IDs, dangling references, and the lack of an owner or manager with a key. */
export function checkSeed(seed: Parts, context: z.core.$RefinementCtx<unknown>) {
  const report = (path: PropertyKey[], message: string) =>
    context.addIssue({ code: 'custom', path, message, input: seed })
  for (const [path, values] of uniqueLists(seed)) {
    const seen = new Set<string>()
    const twice = values.find((value) => seen.size === seen.add(value).size)
    if (twice !== undefined) report(path, `duplicate "${twice}"`)
  }
  const owners = [...seed.users, ...seed.serviceAccounts].map(({ id }) => id)
  for (const [index, { ownerId }] of seed.computers.entries()) {
    if (owners.includes(ownerId)) continue
    report(['computers', index, 'ownerId'], `no user or service account "${ownerId}"`)
  }
  const computers = seed.computers.map(({ id }) => id)
  for (const [index, { computerId }] of seed.sessions.entries()) {
    if (computers.includes(computerId)) continue
    report(['sessions', index, 'computerId'], `no computer "${computerId}"`)
  }
  if (!seed.users.some(isUsableManager)) {
    report(['users'], 'one owner or manager with an apiKey is needed')
  }
}

function uniqueLists(seed: Parts): [path: PropertyKey[], values: string[]][] {
  const { users, invitations, serviceAccounts, computers, sessions, wikiRuns } = seed
  const people = [...users, ...invitations].map(({ email }) => email.toLowerCase())
  const keys = serviceAccounts.flatMap((account) => account.keys)
  const own = [...users, ...computers].flatMap(({ apiKey }) => (apiKey ? [apiKey] : []))
  return [
    [['users'], [...users, ...serviceAccounts].map(({ id }) => id)],
    [['users'], people],
    [['serviceAccounts'], keys.map(({ id }) => id)],
    [['serviceAccounts'], [...keys.map(({ value }) => value), ...own]],
    [['computers'], computers.map(({ id }) => id)],
    [['computers'], computers.map(({ name }) => name)],
    [['sessions'], sessions.map(({ id }) => id)],
    ...sessions.map(({ messages }, index): [PropertyKey[], string[]] => [
      ['sessions', index, 'messages'],
      messages.flatMap(({ id }) => id ?? []),
    ]),
    [['wikiRuns'], wikiRuns.map(({ id }) => id)],
    [['readinessReports'], seed.readinessReports.map(({ reportId }) => reportId)],
  ]
}

function isUsableManager({ role, apiKey }: Parts['users'][number]) {
  return apiKey !== undefined && (role === 'owner' || role === 'manager')
}
