import { meaningOf } from '../event/meaning.ts'
import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'

/** A time in which an agent waited for a person: since a question, or since the end of a turn. */
export interface Wait {
  /** The event with which it began. */
  id: string
  /** Unix ms. */
  at: number
  kind: string
  project: string
  client: string
  sessionId: string
  title: string
  toolUseId: string
  /**
   * `answered`: by a person, `until` says when. `passed`: the agent went on, and nothing shows since when. `closed`:
   * the session ended. `open`: it has not ended.
   */
  end: 'answered' | 'passed' | 'closed' | 'open'
  until?: number
}

/** Finds the waits in a journal. Entries must be added oldest first. */
export class Waits {
  readonly all: Wait[] = []
  readonly #open = new Map<string, Wait[]>()
  readonly #subAgents = new Set<string>()
  readonly #seen = new Set<string>()

  add(entry: JournalEntry) {
    if (entry.type !== 'accepted' || this.#seen.has(entry.id)) return
    this.#seen.add(entry.id)
    const { sessionId, client, duplicateOf, repeatOf } = entry
    if (!sessionId || duplicateOf || repeatOf) return
    const key = `${client} ${sessionId}`
    const meaning = meaningOfEntry(entry)
    const parent = entry.facts?.parentSessionId
    if (meaning.isSubagent && parent && parent !== sessionId) this.#subAgents.add(key)
    this.#close(key, entry, meaning)
    if (meaning.isSubagent || this.#subAgents.has(key)) return
    if (beginsWait(entry, this.#open.get(key) ?? [])) this.#begin(key, entry)
  }

  #begin(key: string, entry: AcceptedEntry) {
    const { id, acceptedAt: at, kind, project, client, sessionId, title, facts } = entry
    const toolUseId = facts?.toolUseId ?? ''
    const origin = { id, at, kind, project, client, sessionId, title, toolUseId }
    const wait: Wait = { ...origin, end: 'open' }
    this.all.push(wait)
    this.#open.set(key, [...(this.#open.get(key) ?? []), wait])
  }

  #close(key: string, { acceptedAt: at, facts }: AcceptedEntry, meaning: Meaning) {
    const open = this.#open.get(key) ?? []
    const over = open.filter((wait) => isOver(wait, open, meaning, facts?.toolUseId ?? ''))
    for (const wait of over) {
      wait.end = endBy(meaning)
      // A clock that was set back must not yield a negative duration.
      wait.until = Math.max(at, wait.at)
    }
    this.#open.set(
      key,
      open.filter((wait) => !over.includes(wait)),
    )
  }
}

type Meaning = ReturnType<typeof meaningOf>

function meaningOfEntry(entry: AcceptedEntry): Meaning {
  const { client, event: name, sessionId, acceptedAt: at, facts = {} } = entry
  const { means = name, notificationType = '', reason = '', tool = '', turnId = '' } = facts
  const told = { client, name, means, notificationType, sessionId, at, reason, tool, turnId }
  return meaningOf(told as Parameters<typeof meaningOf>[0])
}

/**
 * A `waiting` event begins no second wait after the end of a turn. Neither does a turn that left tasks running, since
 * it has not ended, nor one after which a prompt was already waiting.
 */
function beginsWait(entry: AcceptedEntry, open: readonly Wait[]): boolean {
  const { kind, facts = {} } = entry
  if (isRefusedEnd(entry) || facts.means === 'StopQueued') return false
  if (kind === 'waiting') return open.length === 0
  if (kind === 'done') return (facts.backgroundTasks ?? 0) === 0
  return kind === 'permission' || kind === 'failed'
}

/** Whether a hook made the agent go on: the turn ends later. */
export function isRefusedEnd({ facts }: AcceptedEntry): boolean {
  return facts?.means === 'StopRefused'
}

function isOver(
  wait: Wait,
  open: readonly Wait[],
  { isPrompt, isTurnEnd, isSessionEnd, isAnswer }: Meaning,
  answered: string,
): boolean {
  if (isPrompt || isTurnEnd || isSessionEnd) return true
  if (!isAnswer || wait.kind !== 'permission') return false
  if (answered !== '' && wait.toolUseId !== '') return answered === wait.toolUseId
  // An answer that does not name its question counts for the oldest one.
  return open.find(({ kind }) => kind === 'permission') === wait
}

function endBy({ isSessionEnd, isTurnEnd, isInterrupt }: Meaning): Wait['end'] {
  if (isSessionEnd) return 'closed'
  return isTurnEnd && !isInterrupt ? 'passed' : 'answered'
}
