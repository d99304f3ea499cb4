import { createHash } from 'node:crypto'
import * as z from 'zod'

const text = () => z.string()
const time = () => z.number()

export const role = () => z.enum(['owner', 'manager', 'user', 'guest'])
export type Role = z.output<ReturnType<typeof role>>

const Key = z.strictObject({
  id: text(),
  value: text(),
  name: text(),
  owner: z.strictObject({
    kind: z.enum(['user', 'service-account', 'computer']),
    id: text(),
  }),
  expiresAt: time().optional(),
  /** When the key stops authenticating; in the future during a grace period. */
  revokedAt: time().optional(),
})

const Member = z.strictObject({ id: text(), email: text(), role: role() })

const ComputerState = z.strictObject({
  id: text(),
  name: text(),
  ownerId: text(),
  status: text(),
  refreshCount: z.int(),
  deletedAt: time().optional(),
  /** The fields of its responses. */
  fields: z.record(z.string(), z.unknown()),
})

const Job = z.strictObject({ messageId: text(), text: text(), startAt: time(), step: z.int() })

const SessionState = z.strictObject({
  id: text(),
  computerId: text(),
  status: z.enum(['idle', 'pending', 'running']),
  title: text().optional(),
  createdAt: time(),
  updatedAt: time(),
  completedAt: time().optional(),
  settings: z.record(z.string(), z.unknown()),
  usage: z.record(z.string(), z.number()),
  messages: z.array(z.looseObject({ id: text(), role: text(), createdAt: time() })),
  /** Messages the agent has not answered yet, in the order in which it handles them. */
  jobs: z.array(Job),
})

const WikiRun = z.strictObject({
  id: text(),
  privacy: text(),
  createdAt: time(),
  updatedAt: time(),
  request: z.record(z.string(), z.unknown()),
})

/** All that changes while the emulator runs. Plain JSON, so that a file can keep it. */
export const State = z.strictObject({
  clockOffsetMs: z.int(),
  lastId: z.int(),
  members: z.array(Member),
  invitations: z.array(text()),
  serviceAccounts: z.array(z.strictObject({ id: text(), name: text(), role: role() })),
  keys: z.array(Key),
  globalLimit: z.int().nullable(),
  userLimits: z.record(z.string(), z.int()),
  computers: z.array(ComputerState),
  sessions: z.array(SessionState),
  wikiRuns: z.array(WikiRun),
})

export type State = z.output<typeof State>
export type Key = z.output<typeof Key>
export type ComputerState = z.output<typeof ComputerState>
export type SessionState = z.output<typeof SessionState>
export type WikiRun = z.output<typeof WikiRun>
export type Job = z.output<typeof Job>

/** An ID that is unique in this state. The same calls give the same IDs. */
export function nextId(state: State, prefix: string) {
  state.lastId += 1
  return `${prefix}_${String(state.lastId).padStart(6, '0')}`
}

/** The value of a new key. Not random: it is only valid for this emulator. */
export function makeKeyValue(keyId: string) {
  const digest = createHash('sha256').update(`emulator ${keyId}`).digest('hex')
  return `fk-emulator-${digest.slice(0, 32)}`
}

/** The state as others may see it: complete, but without the values of keys. */
export type StateView = Omit<State, 'keys'> & { keys: Omit<State['keys'][number], 'value'>[] }

/** A copy of the state without the values of keys. */
export function viewState(state: State): StateView {
  const { keys, ...others } = structuredClone(state)
  return { ...others, keys: keys.map(({ value: _, ...key }) => key) }
}

/** An idle session without messages. */
export function newSession(facts: {
  id: string
  computerId: string
  now: number
  settings: Record<string, unknown>
}): SessionState {
  return {
    id: facts.id,
    computerId: facts.computerId,
    status: 'idle',
    createdAt: facts.now,
    updatedAt: facts.now,
    settings: facts.settings,
    usage: {},
    messages: [],
    jobs: [],
  }
}
