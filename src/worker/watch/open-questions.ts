import { AnswerWatch } from '../../context/answers.ts'
import { dropOldest } from '../../drop-oldest.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Question } from '../../policy/questions.ts'
import type { SessionRef } from '../../policy/sessions.ts'
import type { WorkerMemory } from '../memory.ts'

export const FIRST_LOOK_MS = 1000

const MAX_LOOK_MS = 30_000

/** More than are open at once. */
const MAX_KNOWN = 1000

/** After this long transcripts are not read any more: only the client's hooks show an answer. */
const WATCH_MS = 24 * 3600_000

interface QuestionDeps {
  journal: Journal
  memory: WorkerMemory
  /** Called with the session and the id of each question whose transcript shows an answer at a look. */
  onAnswer?(ref: SessionRef, id: string): void
  now(): number
}

type Asked = SessionRef & { asked: Question }

/**
 * The questions that wait for an answer, wherever a person was told of them. Looks for answers in transcripts, and records
 * every answer once, whatever shows it.
 */
export class OpenQuestions {
  readonly #deps: QuestionDeps
  readonly #watch = new AnswerWatch()
  readonly #looks: LookTimes
  /** Ids of those whose transcript cannot be read: the worker does not stay for them. */
  readonly #unreadable = new Set<string>()
  #hasStarted = false

  constructor(deps: QuestionDeps) {
    this.#deps = deps
    this.#looks = new LookTimes(deps.now)
  }

  /** Milliseconds until transcripts are read again; undefined if no question needs that. */
  nextLookInMs(): number | undefined {
    const times = this.#watched()
      .filter(({ asked }) => !this.#unreadable.has(asked.id))
      .map(({ asked }) => this.#inMs(asked))
    return times.length > 0 ? Math.min(...times) : undefined
  }

  /**
   * Reads the transcripts that are due: the older a question, the less often. @returns the sessions whose transcript was
   * due
   */
  async look(): Promise<SessionRef[]> {
    await this.#deps.memory.get()
    const isFirst = !this.#hasStarted
    this.#hasStarted = true
    // An earlier worker may have ended before it recorded what it knew, and long ago.
    if (isFirst) void this.record()
    const due = this.#watched().filter(({ asked }) => isFirst || this.#inMs(asked) === 0)
    for (const one of due) {
      this.#looks.setNext(one.asked.id, this.#deps.now() - one.asked.at)
      if (await this.#findAnswer(one)) this.#deps.onAnswer?.(one, one.asked.id)
    }
    return due
  }

  /** Reads the transcripts of a session's open questions now, or of those that some events ask. */
  async lookAt(which: SessionRef | readonly string[]): Promise<void> {
    const known = await this.#deps.memory.get()
    const isMeant = ({ asked: { id, copies = [] } }: Asked) =>
      'client' in which || [id, ...copies].some((one) => which.includes(one))
    const open = 'client' in which ? known.openQuestions(which) : known.openQuestions()
    for (const one of open.filter(isMeant)) await this.#findAnswer(one)
  }

  /** Records the answers that are known and not recorded yet: of a session, or all. */
  async record(ref?: SessionRef): Promise<void> {
    const { journal, memory, now } = this.#deps
    const entries = memory.current?.takeAnswers(now(), ref) ?? []
    await Promise.all(entries.map((entry) => journal.append(entry)))
  }

  #inMs({ id, at }: Question): number {
    return this.#looks.inMs(id, at + FIRST_LOOK_MS)
  }

  /** Questions whose transcripts are checked: not too old ones. If the clock was set back, checking ends too. */
  #watched(): readonly Asked[] {
    const now = this.#deps.now()
    const all = this.#deps.memory.current?.openQuestions() ?? []
    return all.filter(
      ({ asked: { at, transcriptPath } }) => transcriptPath && Math.abs(now - at) <= WATCH_MS,
    )
  }

  /** Looks for the answer in the transcript, and records it if found. */
  async #findAnswer({ asked, ...ref }: Asked): Promise<boolean> {
    const { id, transcriptPath = '' } = asked
    const { isReadable, answeredAt } = await this.#watch.look({ ...asked, ...ref, transcriptPath })
    if (isReadable) this.#unreadable.delete(id)
    else this.#unreadable.add(id)
    // An event may have answered it meanwhile.
    if (answeredAt === undefined || asked.answer) return false
    const { journal, memory, now } = this.#deps
    const found = { type: 'answered', how: 'transcript', answeredAt } as const
    const entry: JournalEntry = { at: now(), id, ...ref, ...found }
    memory.current?.fold(entry)
    // Not awaited: a disk that cannot be written must not delay a withdrawal, or the next event.
    void journal.append(entry)
    return true
  }
}

/** When to read transcripts next, by question or by turn. */
export class LookTimes {
  readonly #now: () => number
  readonly #next = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Plans the next reading: the older, the less often. */
  setNext(key: string, ageMs: number) {
    const ms = Math.min(Math.max(ageMs / 10, FIRST_LOOK_MS), MAX_LOOK_MS)
    this.#next.delete(key)
    this.#next.set(key, this.#now() + ms)
    dropOldest(this.#next, MAX_KNOWN)
  }

  /**
   * Milliseconds until then. A longer wait than any that is set means that the clock was set back.
   * @param first when to read if nothing is planned, Unix ms
   */
  inMs(key: string, first = 0): number {
    const ms = (this.#next.get(key) ?? first) - this.#now()
    return ms > MAX_LOOK_MS ? 0 : Math.max(0, ms)
  }
}
