import type { SeedInput } from '../state/seed.ts'
import type { Facts } from './facts.ts'

/** Whose the computers are of which no owner was seen, if there is no other user. */
const RECORDING_USER = 'user_recording'
/** The computer of the sessions of which none was seen. */
const UNKNOWN_COMPUTER = 'comp_unknown'

/** A seed with everything that was seen, and nothing else: no default users, computers or reports. */
export function makeSeed(facts: Facts): SeedInput {
  const { organizationId: id, globalLimit, integrations, deletionStatus } = facts
  const users = usersOf(facts)
  const firstUser = users[0]?.id ?? RECORDING_USER
  return {
    organization: {
      ...(id === undefined ? {} : { id }),
      ...(integrations === undefined ? {} : { integrations: integrationsOf(integrations) }),
    },
    ...(deletionStatus === undefined ? {} : { behavior: { deletionStatus } }),
    users,
    invitations: [],
    serviceAccounts: accountsOf(facts),
    computers: computersOf(facts, firstUser),
    sessions: sessionsOf(facts),
    limits: { global: globalLimit ?? null, users: Object.fromEntries(facts.userLimits) },
    repositories: [],
    wikiRuns: [...facts.wikiRuns].map((id) => ({ id })),
    wikiPages: [],
    readinessReports: reportsOf(facts),
  }
}

type List<Name extends keyof SeedInput> = NonNullable<SeedInput[Name]>

/** Owners of computers come first, with keys, since only they can use them. Without any, there is a user to call with. */
function usersOf({ users, emails, accounts, computers }: Facts): List<'users'> {
  const ids = [...users.keys()].filter((id) => !accounts.has(id))
  const owning = new Set([...computers.values()].map(({ ownerId }) => ownerId))
  const owners = ids.filter((id) => owning.has(id))
  const others = ids.filter((id) => !owning.has(id))
  const callers = owners.length > 0 ? owners : [RECORDING_USER]
  const taken = new Set<string>()
  const known = [...callers, ...others].map((id) => {
    const given = users.get(id)
    const own = given && !taken.has(given) ? given : `${id}@example.com`
    taken.add(own)
    return {
      id,
      email: own,
      ...(callers.includes(id) ? { role: 'owner' as const, apiKey: `fk-recorded-${id}` } : {}),
      ...(given === null ? { hasEmailInAnalytics: false } : {}),
    }
  })
  const rest = [...emails].filter((email) => !taken.has(email))
  return [...known, ...rest.map((email) => ({ id: email.replace(/@.*/, ''), email }))]
}

function accountsOf({ accounts, keys }: Facts): List<'serviceAccounts'> {
  return [...accounts].map((id) => ({
    id,
    name: `name-of-${id}`,
    keys: [...keys]
      .filter(([, account]) => account === id)
      .map(([key]) => ({ id: key, name: `name-of-${key}`, value: `fk-recorded-${key}` })),
  }))
}

function computersOf({ computers, sessions }: Facts, firstUser: string): List<'computers'> {
  const known = [...computers].map(([id, { fields, ownerId = firstUser }]) => ({
    ...fields,
    id,
    name: `name-of-${id}`,
    ownerId,
  }))
  const isNeeded = [...sessions.values()].some(({ computerId }) => computerId === undefined)
  const unknown = { id: UNKNOWN_COMPUTER, name: 'unknown', ownerId: firstUser }
  return (isNeeded ? [...known, unknown] : known) as List<'computers'>
}

function sessionsOf({ sessions }: Facts): List<'sessions'> {
  return [...sessions].map(([id, { computerId = UNKNOWN_COMPUTER, messages, ...fields }]) => ({
    ...fields,
    id,
    computerId,
    // The order of the history is not documented; the emulator wants the oldest first.
    messages: [...messages.values()].toSorted(
      (one, other) => Number(one.createdAt) - Number(other.createdAt),
    ) as NonNullable<List<'sessions'>[number]['messages']>,
  }))
}

function reportsOf(facts: Facts): List<'readinessReports'> {
  return [...facts.reports.values()].map(({ report, repoUrl }) => ({
    ...report,
    repoUrl,
    repoId: facts.repoIdOf(repoUrl),
  })) as List<'readinessReports'>
}

function integrationsOf(count: number) {
  return Array.from({ length: count }, (_, index) => `integration-${index + 1}`)
}
