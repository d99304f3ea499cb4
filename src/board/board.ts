import { Fold, type Reducer } from '../journal/fold.ts'
import {
  foldSession,
  refOf,
  restoreSessions,
  type Session,
  type SessionRef,
  type Sessions,
} from '../policy/sessions.ts'
import { turnStart } from '../policy/turns.ts'
import { findEvidence } from './evidence.ts'
import { type Evidence, type Standing, type State, stateOf, states } from './state.ts'

const DAY_MS = 24 * 3600_000

/** A session and what it does. */
export interface Known extends SessionRef, Standing {
  session: Session
}

/** The sessions of some state folders. Reading them once more costs only what their journals have gained. */
export class Board {
  readonly #folds: readonly Fold<{ sessions: SessionsPart }>[]

  constructor(folders: readonly string[]) {
    this.#folds = folders.map(
      (folder) => new Fold(folder, (saved) => ({ sessions: new SessionsPart(saved.rules) })),
    )
  }

  /** Those that lived in the last day, who waits longest first. */
  async read(now: number): Promise<Known[]> {
    const known = new Map<string, Session>()
    for (const fold of this.#folds) {
      for (const [key, session] of fold.now().sessions.state) {
        if ((known.get(key)?.latestAt ?? 0) <= session.latestAt) known.set(key, session)
      }
    }
    return await knownOf(known, now)
  }
}

/** Those of known sessions in certain states, who waits longest first: without a look at those that events show in another. */
export async function knownIn(
  sessions: Iterable<[string, Session]>,
  now: number,
  isMeant: (state: State) => boolean,
): Promise<Known[]> {
  const mayBe = [...sessions].filter(([, session]) =>
    isMeant(stateOf(session, { job: 'unknown' }, now).state),
  )
  return (await knownOf(mayBe, now)).filter(({ state }) => isMeant(state))
}

/** A worker knows sub-agents, a person does not. */
async function knownOf(sessions: Iterable<[string, Session]>, now: number): Promise<Known[]> {
  const recent = [...sessions].filter(
    ([, session]) => session.seen && !session.isSubagent && now < goneAt(session),
  )
  const found = await Promise.all(
    recent.map(async ([key, session]) => {
      const ref = refOf(key)
      return { ref, session, evidence: await findEvidence(ref, session, now) }
    }),
  )
  return boardOf(found, now)
}

/** When nobody wants to know of a session any more, Unix ms. */
export function goneAt({ latestAt }: Session): number {
  return latestAt + DAY_MS
}

export interface Found {
  ref: SessionRef
  session: Session
  evidence: Evidence
}

/** The same from what was found. Pure. */
export function boardOf(found: readonly Found[], now: number): Known[] {
  const standings = found.map(({ ref, session, evidence }) => ({
    ...ref,
    ...stateOf(session, evidence, now),
    session,
  }))
  return standings.map((one) => replacedIn(standings, one) ?? one).sort(inOrder)
}

/** Who waits longest first; of those that ended, the last. */
function inOrder(one: Known, other: Known): number {
  const apart = states.indexOf(one.state) - states.indexOf(other.state)
  if (apart !== 0) return apart
  return one.state === 'ended' ? other.since - one.since : one.since - other.since
}

/** A session at rest is over once a person goes on in the same process with another: not every client says so. */
function replacedIn(all: readonly Known[], one: Known): Known | undefined {
  const { job } = one.session.seen?.place ?? {}
  if (!job || (one.state !== 'done' && one.state !== 'failed')) return undefined
  const later = all.filter(({ client, session }) => {
    const { job: own } = session.seen?.place ?? {}
    const isSame = own?.pid === job.pid && own.started === job.started && own.boot === job.boot
    return isSame && client === one.client && session !== one.session && !session.isSubagent
  })
  const begun = later
    .map(({ session }) => beginOf(session))
    .filter((at) => at > one.session.latestAt)
  if (begun.length === 0) return undefined
  const because = 'its process went on with another session'
  return { ...one, state: 'ended', since: Math.min(...begun), because }
}

function beginOf(session: Session): number {
  return Math.max(turnStart(session), session.seen?.startedAt ?? 0)
}

/** The part of the rules in the one fold of the journal. */
class SessionsPart implements Reducer {
  readonly state: Sessions

  constructor(rules: unknown) {
    this.state = restoreSessions(Object(rules).sessions)
  }

  fold(entry: Parameters<Reducer['fold']>[0]) {
    foldSession(this.state, entry)
  }
}
