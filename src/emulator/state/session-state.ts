import type { Seed } from './seed.ts'
import type { SessionState } from './state.ts'

const SECOND = 1000

/** A session of the seed; its messages get the IDs and times that the seed leaves out. */
export function sessionState(session: Seed['sessions'][number]): SessionState {
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
