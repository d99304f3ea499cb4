import { knownIn } from '../../board/board.ts'
import { STILL_MS } from '../../board/state.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { dropOldest } from '../../drop-oldest.ts'
import type { AgentEvent } from '../../event/event.ts'
import { STILL_EVENT } from '../../journal/entry.ts'
import { isToldStill, noteToldStill, sessionKey } from '../../policy/sessions.ts'
import type { Claim } from '../../spool/claim.ts'
import type { Store } from '../../spool/store.ts'
import { formatTime } from '../../text/local-time.ts'
import type { WorkerMemory } from '../memory.ts'

const LOOK_EVERY_MS = 30_000
/** The wall clock gained this much between two looks: the machine has slept. */
const SLEPT_MS = 10_000
/** More sessions than run at once. */
const MAX_KNOWN = 100

interface StillDeps {
  store: Pick<Store, 'acceptOwn'>
  memory: Pick<WorkerMemory, 'get'>
  config(): Pick<LoadedConfig, 'config'>
  now(): number
  /** A clock that stands while the machine sleeps. */
  awakeNow(): number
}

/**
 * Sessions that stand still while they should work. Each becomes an event, once until the session lives again, if a route names
 * that event; only then does the worker stay for sessions that work.
 */
export class StillSessions {
  readonly #deps: StillDeps
  readonly #envs = new Map<string, AgentEvent['env']>()
  /** On the clock that stands; undefined if nothing works. */
  #lookAt: number | undefined = 0
  #last: { wall: number; awake: number }
  /** A session that slept with the machine, or lived before this worker, gets its time again. Unix ms. */
  #wokeAt: number

  constructor(deps: StillDeps) {
    this.#deps = deps
    this.#last = { wall: deps.now(), awake: deps.awakeNow() }
    this.#wokeAt = deps.now()
  }

  /** Must be called with each event: its session may work. */
  note(event: AgentEvent) {
    this.#lookAt = 0
    if (event.name === STILL_EVENT) return
    const key = sessionKey(event)
    this.#envs.delete(key)
    this.#envs.set(key, event.env)
    dropOldest(this.#envs, MAX_KNOWN)
  }

  /** Milliseconds until sessions are looked at again; undefined if none works, or nobody wants to know. */
  nextLookInMs(): number | undefined {
    const { config, awakeNow } = this.#deps
    const isWanted = config().config.routes.some(({ on }) => on.includes(STILL_EVENT))
    if (!isWanted || this.#lookAt === undefined) return undefined
    return Math.max(0, this.#lookAt - awakeNow())
  }

  /** Those that have come to stand still since the last call, each accepted and claimed as an event. */
  async takeStill(): Promise<Claim[]> {
    const { memory, now, awakeNow } = this.#deps
    const [wall, awake] = [now(), awakeNow()]
    if (wall - this.#last.wall - (awake - this.#last.awake) > SLEPT_MS) this.#wokeAt = wall
    this.#last = { wall, awake }
    this.#lookAt = awake + LOOK_EVERY_MS
    const { sessions } = await memory.get()
    const found = await knownIn(sessions, wall, (state) => state === 'works' || state === 'still')
    const open = found.filter(({ session }) => !isToldStill(session))
    // An event may have come meanwhile.
    if (open.length === 0 && this.#lookAt > 0) this.#lookAt = undefined
    const still = open.filter(
      ({ state, since }) => state === 'still' && wall - Math.max(since, this.#wokeAt) > STILL_MS,
    )
    return still.flatMap((one) => this.#accept(one, wall))
  }

  #accept(
    { client, sessionId, since, because, session }: Awaited<ReturnType<typeof knownIn>>[number],
    now: number,
  ): Claim[] {
    const body = {
      hook_event_name: STILL_EVENT,
      session_id: sessionId,
      ...(session.cwd && { cwd: session.cwd }),
      message: `It should work, and has shown no sign of life since ${formatTime(since)}${because ? `: ${because}` : ''}`,
    }
    const env = { ...this.#envs.get(sessionKey({ client, sessionId })) }
    try {
      const claim = this.#deps.store.acceptOwn({ client, env }, Buffer.from(JSON.stringify(body)))
      noteToldStill(session, now)
      return [claim]
    } catch {
      // Such as a full disk: it is tried again at the next look.
      return []
    }
  }
}
