import { isNextQuestion, meaningOf } from '../../event/meaning.ts'
import { parseEvent } from '../../event/parse.ts'
import { sessionHash } from '../../prepare/prepare.ts'
import type { WaitingEvent } from '../../spool/store.ts'
import type { WorkerDeps } from '../deps.ts'

/** Of a longer queue only the first events are read: of the others, a due message must not wait for long. */
const MAX_READ = 64

/**
 * The sessions, by the key of their deliveries, of which an answer is among some waiting events. It must be seen before what
 * is due, as after a night in which the machine was off: a person who has just gone on must not be told of the question.
 */
export function answeredSessions(
  events: readonly WaitingEvent[],
  { store, config }: Pick<WorkerDeps, 'store' | 'config'>,
): ReadonlySet<string> {
  // Reading the events twice costs time, and mostly nothing is due when some wait.
  if (events.length === 0 || store.due().length === 0) return new Set()
  const { abnormalReasons } = config.recent().config
  return new Set(
    events.slice(0, MAX_READ).flatMap(({ name, id }) => {
      const stored = store.peekEvent(name)
      return stored ? sessionIfAnswer({ ...stored, id }, abnormalReasons) : []
    }),
  )
}

function sessionIfAnswer(
  stored: Parameters<typeof parseEvent>[0],
  abnormalReasons: readonly string[],
): string[] {
  try {
    const event = parseEvent(stored, abnormalReasons)
    return isNextQuestion(event) || meaningOf(event).isAnswer ? [sessionHash(event)] : []
  } catch {
    // It is recorded as unusable in its turn.
    return []
  }
}
