import { formatOf, rootsOf } from '../../context/of-client.ts'
import { readTranscript, sizeOf } from '../../context/transcript.ts'
import { dropOldest } from '../../drop-oldest.ts'
import type { AgentEvent } from '../../event/event.ts'
import { meaningOf } from '../../event/meaning.ts'
import { sessionOf } from '../../prepare/prepare.ts'
import type { Claim } from '../../spool/claim.ts'
import type { Store } from '../../spool/store.ts'
import { LookTimes } from './open-questions.ts'

/** A client whose transcript has not grown for so long was probably killed, which no hook reports. */
const SILENT_MS = 3600_000
/** More sessions than run at once. */
const MAX_TURNS = 100

/** Without its text, which may be long. */
type Prompt = Pick<
  AgentEvent,
  'at' | 'client' | 'cwd' | 'env' | 'sessionId' | 'transcriptPath' | 'turnId'
>

interface Turn {
  prompt: Prompt
  size: number
  grownAt: number
}

interface TurnsDeps {
  store: Pick<Store, 'acceptOwn'>
  now(): number
}

type Ending =
  | { hook_event_name: 'Stop' }
  | { hook_event_name: 'StopFailure'; error_details: string }

/**
 * The running turns of clients that fire no hook when a turn fails, or a review ends. Their transcripts are read while
 * they run, and such an end becomes an event. They are known only to the worker that saw them begin: if it ends first,
 * nothing is reported.
 */
export class RunningTurns {
  readonly #deps: TurnsDeps
  readonly #turns = new Map<string, Turn>()
  readonly #looks: LookTimes

  constructor(deps: TurnsDeps) {
    this.#deps = deps
    this.#looks = new LookTimes(deps.now)
  }

  /** Must be called with each event: some begin or end a turn. */
  note(event: AgentEvent) {
    const { isAnswerToAll, mayFailUnheard } = meaningOf(event)
    if (!isAnswerToAll) return
    const key = sessionOf(event)
    this.#turns.delete(key)
    const { at, client, cwd, env, sessionId, transcriptPath, turnId } = event
    if (!mayFailUnheard || !transcriptPath) return
    const prompt = { at, client, cwd, env, sessionId, transcriptPath, turnId }
    this.#turns.set(key, { prompt, size: 0, grownAt: this.#deps.now() })
    dropOldest(this.#turns, MAX_TURNS)
    this.#looks.setNext(key, 0)
  }

  /** Milliseconds until transcripts are read again; undefined if no turn runs. */
  nextLookInMs(): number | undefined {
    const times = [...this.#turns.keys()].map((key) => this.#looks.inMs(key))
    return times.length > 0 ? Math.min(...times) : undefined
  }

  /** The ends of turns since the last call that no hook reported, accepted and claimed as events. */
  async takeEnded(): Promise<Claim[]> {
    const claims: Claim[] = []
    for (const [key, turn] of this.#turns) {
      if (this.#looks.inMs(key) > 0) continue
      this.#looks.setNext(key, this.#deps.now() - turn.prompt.at)
      const end = await this.#endOf(turn)
      // Another event of the session may have come meanwhile.
      if (!end || this.#turns.get(key) !== turn) continue
      try {
        if (end !== 'heard') claims.push(this.#accept(turn.prompt, end))
        this.#turns.delete(key)
      } catch {
        // Such as a full disk: it is read again at the next look.
        turn.size = 0
      }
    }
    return claims
  }

  /** @returns undefined while it runs; `heard` if no event is needed */
  async #endOf(turn: Turn): Promise<Ending | 'heard' | undefined> {
    const { client, transcriptPath, at } = turn.prompt
    const now = this.#deps.now()
    const size = await sizeOf(transcriptPath, rootsOf(client))
    if (size === undefined || now - turn.grownAt > SILENT_MS) return 'heard'
    if (size === turn.size) return undefined
    Object.assign(turn, { size, grownAt: now })
    const facts = await readTranscript(transcriptPath, rootsOf(client), now, formatOf(client))
    const { outcome, outcomeReason, outcomeAt = 0, isHeadless, isReview } = facts
    // The prompt may not be written yet: then this is how the turn before it ended.
    if (outcome === '' || outcomeAt < at) return undefined
    // The event at the end of a one-shot run reports its failure.
    if (outcome === 'failed' && !isHeadless) {
      return { hook_event_name: 'StopFailure', error_details: outcomeReason }
    }
    return outcome === 'completed' && isReview ? { hook_event_name: 'Stop' } : 'heard'
  }

  #accept(prompt: Prompt, ending: Ending): Claim {
    const { client, env, sessionId, cwd, transcriptPath, turnId } = prompt
    const body = {
      ...ending,
      ...{ session_id: sessionId, turn_id: turnId, cwd, transcript_path: transcriptPath },
    }
    return this.#deps.store.acceptOwn({ client, env }, Buffer.from(JSON.stringify(body)))
  }
}
