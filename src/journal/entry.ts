/** The client of events that hookbell itself makes, such as tests, digests and reports of failures. */
export const OWN_CLIENT = 'hookbell'

/** The event with which `doctor` and `init` try a registered command; nobody is notified of it. */
export const CANARY_EVENT = 'HookbellCanary'

// Entries are plain types, checked by hand below instead of by zod: `status` and `log` read thousands of lines and
// start in the time that loading zod would take.

interface Base {
  /** Unix ms. */
  at: number
  /** Id of the event. */
  id: string
}

interface OnChannel extends Base {
  channel: string
  /** Attempts made so far, including this one; 0 if none was made. */
  attempt: number
}

/** Why a route or a policy decided as it did; `why` prints it. */
export interface TraceStep {
  /** `route 1`, or the name of a policy. */
  by: string
  /** Absent for a route that concerns several channels. */
  channel?: string
  verdict:
    | 'matched'
    | 'not matched'
    | 'corrected'
    | 'applied'
    | 'ignored'
    | 'send'
    | 'suppress'
    | 'hold'
  /** The condition that decided. */
  because: string
}

/** What a policy needs to judge the event once more; the text is not part of it. */
export interface EventFacts {
  /** What happened, in one name for all clients; '' for an event that no client's data describes. */
  means?: string
  notificationType?: string
  reason?: string
  /** Why the turn failed: a word of the client, or a sentence if the configuration keeps texts. */
  failureReason?: string
  /** The same for failures that have one cause. Absent if nothing is known of it. */
  failureCause?: string
  durationMs?: number
  backgroundTasks?: number
  /** How many of them are agents. */
  backgroundAgents?: number
  /** How many of the agents are teammates. */
  backgroundTeammates?: number
  /** When the client goes on by itself, as the agent has scheduled, Unix ms. */
  wakesAt?: number
  /** Whether the answer ends with a question. Absent for false. */
  asks?: boolean
  /** Whether a person stopped the turn before. Absent for false. */
  isInterrupted?: boolean
  /** Whether no turn was running when the session ended abnormally. Absent for false. */
  isAtRest?: boolean
  /** Whether its whole session is that of a sub-agent. Absent for false. */
  isOfSubagent?: boolean
  cwd?: string
  agent?: string
  agentId?: string
  tool?: string
  toolUseId?: string
  turnId?: string
  parentSessionId?: string
  permissionMode?: string
  branch?: string
  /** The program around the client, such as an editor. Absent in a terminal, or if not known. */
  surface?: string
  /** Whether the session runs without a person in front of it. */
  isHeadless?: boolean
  /** Whether a person was at the terminal of the session; absent if unknown or not checked. */
  isAtTerminal?: boolean
  /** Whether a person was at the machine; absent if unknown or not checked. */
  isHere?: boolean
  /** Absent for false. */
  isOverSsh?: boolean
  /** Whether the agent's environment switches notifications off. Absent for false. */
  isSwitchedOff?: boolean
  /** For the end of a turn: for how much of `durationMs` it may have waited for a person. Absent for 0. */
  waitingMs?: number
  /** For a question, in which its answer would appear; for the beginning of a turn, which grows while it runs. */
  transcriptPath?: string
  /** The session's name, or its first prompt. Absent if the configuration keeps no texts. */
  sessionName?: string
  /** Where the session is on its machine. Absent if it has no terminal, or may have that of another session. */
  place?: Place
}

export interface Place {
  /** A path. */
  terminal: string
  /** The pane of tmux, such as `%3`. */
  pane?: string
  /** The process with which the job of the agent began there. Absent if it cannot be seen. */
  job?: Job
}

/** Identifies a process: see `Owner` in src/spool/lock/owner.ts. */
interface Job {
  pid: number
  started: string
  boot: string
  host?: string
}

/**
 * What showed that a question was answered: an event by which the client reports the answer, the next prompt, a person who
 * stopped the turn, or a transcript that goes on. `went-on`: the agent had gone on, so it was answered some time before.
 * `hookbell`: it was answered with hookbell.
 */
export type AnswerSign = 'reply' | 'prompt' | 'interrupt' | 'transcript' | 'went-on' | 'hookbell'

export interface AcceptedEntry extends Base {
  type: 'accepted'
  /** When the front door stored it, Unix ms. */
  acceptedAt: number
  event: string
  kind: string
  client: string
  sessionId: string
  project: string
  title: string
  /** The plain text as it was sent: redacted, bounded, and only if the configuration keeps it. */
  text?: string
  facts?: EventFacts
  /** The channels that get it. */
  to?: string[]
  /** For a question: those of `to` that people read. The others keep a record. */
  people?: string[]
  trace?: TraceStep[]
  problems?: string[]
  /** The client whose settings contain the hook, if another one ran it. */
  via?: string
  /** Hash of client and content. */
  fingerprint?: string
  /** Whether it came from the hooks of a project. */
  shared?: boolean
  /** Id of the event of which this is a second copy. */
  duplicateOf?: string
  /** Id of the client's earlier event about the same thing. */
  repeatOf?: string
}

/** An answer that was given with hookbell. */
export interface GivenAnswer {
  /** Where, such as `command` or `telegram`. */
  place?: string
  /** The channel, and who it is there, by a number that never changes. */
  channel?: string
  person?: string
  /** In words. */
  answer?: string
}

/** One line of the journal: a decision about an event, or one attempt to deliver it. */
export type JournalEntry =
  | AcceptedEntry
  | (Base & { type: 'suppressed'; reason: string; channel?: string })
  | (Base & {
      type: 'held'
      channel: string
      until: number
      reason: string
      /** Deliveries of the same group that are due together become one message. */
      group?: string
    })
  | (OnChannel & {
      type: 'delivered'
      ms: number
      answer: string
      /** Id of the event whose message included this one. */
      summary?: string
    })
  | (OnChannel & { type: 'unavailable'; reason: string })
  | (OnChannel & { type: 'deferred'; reason: string; until: number })
  | (OnChannel & { type: 'exhausted'; reason: string })
  /** Nobody can have seen the question. `reason` says why, for each channel, and what was tried instead. */
  | (Base & {
      type: 'undelivered'
      reason: string
      /** The question as its channel had it, for the message that mentions it; only if the configuration keeps texts. */
      text?: string
    })
  /** The event's question was answered. Written once. */
  | (Base &
      GivenAnswer & {
        type: 'answered'
        client: string
        sessionId: string
        how: AnswerSign
        /** When that was at the latest, Unix ms. */
        answeredAt: number
      })
  /** Something was done on a channel that did not count as an answer to the event's question. */
  | (Base & { type: 'not-taken'; channel: string; place: string; person: string; reason: string })
  /** The session ended before anybody answered the event's question. */
  | (Base & { type: 'unanswered'; client: string; sessionId: string })
  /** The event's message was withdrawn after it was shown. */
  | (Base & { type: 'withdrawn'; channel: string; reason: string })
  | (Base & { type: 'unusable'; reason: string; client?: string })
  | (Base & { type: 'retried' })
  /** What was dead or waited was removed: a delivery, or without a channel the whole event. */
  | (Base & { type: 'dropped'; channel?: string; reason?: string })

/** A line that is about no event: what a worker must remember, and nothing else says. */
export interface Note {
  /** Unix ms. */
  at: number
  type: 'note'
  subject:
    | 'configuration'
    | 'dead channel'
    | 'digest'
    | 'answers'
    | 'answers off'
    | 'answer not taken'
  value: string
}

type EntryType = JournalEntry['type']

/** The fields that each type must have; a time is in Unix ms. */
const required: { [Type in EntryType]: { [field: string]: 'string' | 'number' | 'time' } } = {
  accepted: {
    acceptedAt: 'time',
    event: 'string',
    kind: 'string',
    client: 'string',
    sessionId: 'string',
    project: 'string',
    title: 'string',
  },
  suppressed: { reason: 'string' },
  held: { channel: 'string', until: 'time', reason: 'string' },
  delivered: { channel: 'string', attempt: 'number', answer: 'string' },
  unavailable: { channel: 'string', attempt: 'number', reason: 'string' },
  deferred: { channel: 'string', attempt: 'number', reason: 'string', until: 'time' },
  exhausted: { channel: 'string', attempt: 'number', reason: 'string' },
  undelivered: { reason: 'string' },
  answered: { client: 'string', sessionId: 'string', how: 'string', answeredAt: 'time' },
  'not-taken': { channel: 'string', place: 'string', person: 'string', reason: 'string' },
  unanswered: { client: 'string', sessionId: 'string' },
  withdrawn: { channel: 'string', reason: 'string' },
  unusable: { reason: 'string' },
  retried: {},
  dropped: {},
}

/** @returns undefined for a line that a crash cut short, for notes, and for types of a later version */
export function parseEntry(line: string): JournalEntry | undefined {
  const parsed = parseLine(line)
  return parsed?.type === 'note' ? undefined : parsed
}

/** The same with notes. */
export function parseLine(line: string): JournalEntry | Note | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as { [field: string]: unknown }
  if (typeof fields.type !== 'string') return undefined
  if (fields.type === 'note') return isNote(fields) ? (value as Note) : undefined
  return isEntry(fields) ? (value as JournalEntry) : undefined
}

function isNote({ at, subject, value }: { [field: string]: unknown }): boolean {
  return isTime(at) && typeof subject === 'string' && typeof value === 'string'
}

function isEntry(fields: { [field: string]: unknown }): boolean {
  const { type, at, id } = fields
  // An id is a file name.
  if (!isTime(at) || typeof id !== 'string' || id.includes('/')) return false
  if (!Object.hasOwn(required, type as string)) return false
  const kinds = required[type as EntryType]
  // Not with Object.entries, which takes longer than JSON.parse.
  for (const field in kinds) {
    const isRight =
      kinds[field] === 'time' ? isTime(fields[field]) : typeof fields[field] === kinds[field]
    if (!isRight) return false
  }
  return true
}

/** What Date can show. A damaged block of a disk may be a number, too. */
function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15
}

/** The event that a session stands still while it should work: no sign of life of its agent. Only a route that names it tells. */
export const STILL_EVENT = 'stands-still'

/** Whether hookbell itself made the event. Such events are no work of an agent, so reports do not count them. */
export function isOwnEvent({ client, event }: { client: string; event: string }): boolean {
  return client === OWN_CLIENT || event === CANARY_EVENT || event === STILL_EVENT
}
