import { chosen } from '../choices.ts'
import { SEEDED_AT } from './default-seed.ts'
import type { Seed } from './seed.ts'
import { type ComputerState, type Key, newSession, type SessionState, type State } from './state.ts'

/** The state a seed describes. */
export function makeState(seed: Seed): State {
  return {
    clockOffsetMs: 0,
    lastId: highestNumber(seed),
    members: seed.users.map((user) => ({ id: user.id, email: user.email, role: user.role })),
    invitations: seed.invitations.map(({ email }) => email),
    serviceAccounts: seed.serviceAccounts.map(({ id, name, role: of }) => ({ id, name, role: of })),
    keys: keysOf(seed),
    globalLimit: seed.limits.global,
    userLimits: Object.fromEntries(
      Object.entries(seed.limits.users).map(([email, limit]) => [email.toLowerCase(), limit]),
    ),
    computers: seed.computers.map((computer) => computerState(computer, seed)),
    sessions: seed.sessions.map((session) => sessionState(session)),
    wikiRuns: seed.wikiRuns.map(({ id, privacy }) => ({
      id,
      privacy,
      createdAt: SEEDED_AT,
      updatedAt: SEEDED_AT,
      request: {},
    })),
  }
}

/** The highest number in IDs that look like those of `nextId`, which must not be used again. */
function highestNumber({ sessions, wikiRuns, serviceAccounts }: Seed): number {
  const keys = serviceAccounts.flatMap((account) => account.keys)
  const messages = sessions.flatMap((session) => session.messages)
  return [...sessions, ...messages, ...wikiRuns, ...keys].reduce((highest, { id = '' }) => {
    const [, number = 0] = /^[a-z]+_(\d{6,15})$/.exec(id) ?? []
    return Math.max(highest, Number(number))
  }, 0)
}

function keysOf(seed: Seed): Key[] {
  const ofUsers = seed.users.flatMap(({ id, apiKey }) => ownKey('user', id, apiKey))
  const ofComputers = seed.computers.flatMap(({ id, apiKey }) => ownKey('computer', id, apiKey))
  const ofAccounts = seed.serviceAccounts.flatMap((account) =>
    account.keys.map(
      (key): Key => ({ ...key, owner: { kind: 'service-account', id: account.id } }),
    ),
  )
  return [...ofUsers, ...ofAccounts, ...ofComputers]
}

function ownKey(kind: Key['owner']['kind'], id: string, value: string | undefined): Key[] {
  return value ? [{ id: `key_of_${id}`, name: `key of ${id}`, value, owner: { kind, id } }] : []
}

function computerState(computer: Seed['computers'][number], seed: Seed): ComputerState {
  const { apiKey: _, ownerId, ...fields } = computer
  const isAccount = seed.serviceAccounts.some(({ id }) => id === ownerId)
  const ownerPrincipalKind = isAccount
    ? chosen.ownerKinds.value.account
    : chosen.ownerKinds.value.user
  return {
    id: computer.id,
    name: computer.name,
    ownerId,
    status: computer.status,
    refreshCount: 0,
    fields: { ...fields, ownerId, ownerPrincipalKind },
  }
}

const SECOND = 1000

/** A session of the seed; its messages get the IDs and times that the seed leaves out. */
function sessionState(session: Seed['sessions'][number]): SessionState {
  const messages = session.messages.map((message, index) => {
    const createdAt = message.createdAt ?? session.createdAt + index * SECOND
    return {
      ...message,
      id: message.id ?? `${session.id}_message_${index + 1}`,
      createdAt,
      updatedAt: message.updatedAt ?? createdAt,
    }
  })
  const { id, computerId, title, createdAt } = session
  const updatedAt = messages.at(-1)?.updatedAt ?? createdAt
  return {
    ...newSession({ id, computerId, now: createdAt, settings: {} }),
    title,
    updatedAt,
    completedAt: messages.length > 0 ? updatedAt : undefined,
    messages,
  }
}
