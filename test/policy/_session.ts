import * as fc from 'fast-check'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { parsePayload, readPayload } from '../support/payload.ts'

// Sessions as the clients report them, made by a model of the person, the agent and what runs in the background. The model
// says what a person has to be told; it knows nothing of the rules.

const MINUTE_MS = 60_000
/** Everything that takes less time ends while the person is still looking. */
const SHORT_MS = 15_000
/** How long an agent that goes on may take. */
export const AT_WORK_MS = 120 * MINUTE_MS
const start = Date.parse('2026-11-20T09:00:00Z')

type TaskType = 'shell' | 'monitor' | 'subagent' | typeof mate
const mate = 'in_process_teammate'

interface Client {
  client: string
  prompt: string
  stop: string
  fail?: string
  /** By what it announces a question; the notice of it follows after six seconds. */
  asks?: readonly string[]
  notice?: string
  /** A turn that the client begins by itself. */
  own?: object
  /** Its hook when a person stops the turn; none fires if absent. */
  interrupt?: string
  end: string
  /** Which tasks it says that it leaves running. */
  lists?: readonly TaskType[]
  schedules?: true
  /** How long after the end of a turn it sends its idle notice. */
  idleAfterMs?: number
}

const claude: Client = {
  ...{ client: 'claude', prompt: 'UserPromptSubmit', stop: 'Stop', fail: 'StopFailure' },
  own: {
    ...readPayload('claude', 'UserPromptSubmit'),
    prompt: '<task-notification>It is over</task-notification>',
  },
  end: 'SessionEnd.normal',
  lists: ['shell', 'monitor', 'subagent', mate],
  asks: ['PreToolUse.question', 'PermissionRequest.question'],
  notice: 'Notification.permission',
  schedules: true,
  idleAfterMs: MINUTE_MS,
}
const { idleAfterMs: _, notice: __, ...inEditor } = claude
const claudeInEditor = { ...inEditor, asks: ['PreToolUse.question'] }

const opencode: Client = {
  ...{ client: 'opencode', prompt: 'chat.message', stop: 'session.idle', fail: 'session.error' },
  ...{ own: readPayload('opencode', 'chat.message.own'), interrupt: 'session.error.abort' },
  end: '',
}

export const clients: readonly Client[] = [
  claude,
  claudeInEditor,
  {
    ...{ client: 'qwen', prompt: 'UserPromptSubmit', stop: 'Stop', fail: 'StopFailure' },
    ...{ end: 'SessionEnd', lists: ['subagent'], idleAfterMs: 50 },
  },
  { client: 'gemini', prompt: 'BeforeAgent', stop: 'AfterAgent', end: 'SessionEnd' },
  {
    ...{ client: 'droid', prompt: 'UserPromptSubmit', stop: 'Stop', end: 'SessionEnd.normal' },
    ...{ own: readPayload('droid', 'UserPromptSubmit.task'), interrupt: 'Notification.stopped' },
  },
  {
    ...{ client: 'codex', prompt: 'UserPromptSubmit', stop: 'Stop', interrupt: 'Interrupt' },
    ...{ end: 'SessionEnd', lists: ['subagent'] },
  },
  {
    ...{ client: 'copilot', prompt: 'UserPromptSubmit', stop: 'Stop', fail: 'ErrorOccurred' },
    end: 'SessionEnd',
  },
  {
    ...{ client: 'cursor', prompt: 'beforeSubmitPrompt', stop: 'stop', fail: 'stop.error' },
    ...{ interrupt: 'stop.aborted', end: 'sessionEnd' },
  },
  opencode,
  { ...opencode, client: 'kilo', own: readPayload('opencode', 'chat.message.own') },
  {
    ...{ client: 'kimi', prompt: 'UserPromptSubmit', stop: 'Stop', fail: 'StopFailure' },
    ...{ own: readPayload('kimi', 'TurnStarted'), interrupt: 'Interrupt', end: 'SessionEnd' },
  },
]

/** The end of a turn of which a person has to be told, unless that person is back before. */
export interface Unseen {
  id: string
  at: number
  asks: boolean
  /** Whether it failed: then it is told like a question, or the next end is. */
  isFailure?: true
  /** When the client was to go on by itself. */
  wakesAt: number | undefined
  /** Whether agents go on, or a hook or a prompt that waited made the agent go on at once. */
  goesOn: 'agents' | 'at once' | undefined
}

export interface Session {
  client: string
  hasIdleNotice: boolean
  events: EnrichedEvent[]
  /** Failures of another session, with the same cause as those of this one. */
  elsewhere: EnrichedEvent[]
  unseen: Unseen[]
  /** When a person wrote, or closed the session. */
  personAt: number[]
  /** The turns that the client began by itself, with the last sign of them; one that never ends was killed. */
  own: { from: number; to: number; lastAt: number }[]
}

const seconds = (min: number, max: number) => fc.integer({ min: min * 1000, max: max * 1000 })

const step = fc.record({
  does: fc.constantFrom(
    ...['next', 'next', 'next', 'next', 'own', 'own', 'hint', 'ask'],
    ...['fail', 'elsewhere', 'stop', 'end'],
  ),
  afterMs: fc.oneof(
    { arbitrary: seconds(3, 20), weight: 4 },
    { arbitrary: seconds(20, 300), weight: 2 },
    { arbitrary: seconds(300, 2400), weight: 1 },
  ),
  asks: fc.boolean(),
  /** Tasks that the turn starts, and how many of the older ones are over by its end. */
  starts: fc.array(fc.constantFrom<TaskType>('shell', 'monitor', 'subagent', mate), {
    maxLength: 2,
  }),
  ends: fc.nat(2),
  wakes: fc.boolean(),
  goesOn: fc.constantFrom(undefined, undefined, undefined, 'StopRefused', 'StopQueued'),
  /** Whether the client reports that it begins a turn by itself. */
  isHeard: fc.boolean(),
})

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

const nothing = { asks: false, starts: [], ends: 0, wakes: false, goesOn: undefined, isHeard: true }

/** A task wakes the agent, which says something and waits again. */
const wake = fc.tuple(seconds(5, 250), seconds(3, 10)).map(([afterMs, workMs]): Step[] => [
  { ...nothing, does: 'own', afterMs },
  { ...nothing, does: 'next', afterMs: workMs },
])

const watch = fc
  .tuple(fc.constantFrom<TaskType>('monitor', 'subagent', mate), fc.array(wake, { maxLength: 12 }))
  .map(([task, wakes]): Step[] => [
    { ...nothing, does: 'next', afterMs: 20_000, starts: [task] },
    ...wakes.flat(),
  ])

export const sessions: fc.Arbitrary<Session> = fc
  .tuple(
    fc.constantFrom(...clients),
    fc.oneof(
      { arbitrary: fc.array(step, { minLength: 1, maxLength: 12 }), weight: 4 },
      { arbitrary: watch, weight: 1 },
    ),
  )
  .map(([client, steps]) => new Model(client).run(steps))

const around = {
  ...{ project: 'shop', branch: '', title: '', firstPrompt: '', tokens: undefined },
  did: { tools: {}, files: [], commands: [] },
}

/** Plays a session, and notes what its person has to be told. */
class Model {
  readonly #client: Client
  readonly #session: Session
  #now = start
  #tasks: TaskType[] = []
  /** Those that the turn has started which goes on. */
  #fresh: TaskType[] = []
  #wakesAt: number | undefined
  #turns = 0
  #wroteAt = start
  /** When the work began that goes on; undefined at rest. */
  #workAt: number | undefined
  /** When the client reported first that it works. */
  #heardAt: number | undefined
  #restAt: number | undefined
  #isOwn = false
  #isStopped = false
  /** Whether the last turn that ended has failed, and the person was not there since. */
  #isFailing = false
  /** When it asked the question that is open. */
  #askedAt: number | undefined

  constructor(client: Client) {
    this.#client = client
    const hasIdleNotice = client.idleAfterMs === MINUTE_MS
    const none = { events: [], elsewhere: [], unseen: [], personAt: [], own: [] }
    this.#session = { client: client.client, hasIdleNotice, ...none }
    this.#begin(false)
  }

  run(steps: readonly Step[]): Session {
    for (const one of steps) {
      if (!this.#take(one)) break
    }
    this.#pass(24 * 60 * MINUTE_MS)
    const own = this.#session.own.at(-1)
    if (own && this.#workAt !== undefined && this.#isOwn) own.to = Number.POSITIVE_INFINITY
    return this.#session
  }

  /** @returns false if nothing happens any more */
  #take(one: Step): boolean {
    const isAtWork = this.#workAt !== undefined
    this.#pass(this.#afterMs(one))
    this.#answer()
    if (one.does === 'end') return this.#leave(isAtWork)
    if (one.does === 'elsewhere') return this.#failElsewhere()
    if (!isAtWork) this.#begin(one.does === 'own' && this.#mayGoOn(), one.isHeard)
    else if (one.does === 'hint') this.#write()
    else if (one.does === 'ask' && this.#client.asks) this.#ask(this.#client.asks)
    else if (one.does === 'fail' && this.#client.fail) this.#fail(this.#client.fail)
    else if (one.does === 'stop') this.#interrupt()
    else this.#stop(one)
    return true
  }

  /** A client that has scheduled when it goes on does so in time. */
  #afterMs({ does, afterMs }: Step): number {
    const isDue = this.#workAt === undefined && does === 'own' && this.#wakesAt !== undefined
    return isDue
      ? Math.max(3000, (this.#wakesAt ?? 0) - this.#now + (afterMs % MINUTE_MS))
      : afterMs
  }

  #mayGoOn(): boolean {
    const { own, lists } = this.#client
    return own !== undefined && (!lists || this.#tasks.length > 0 || this.#wakesAt !== undefined)
  }

  #pass(ms: number) {
    const { idleAfterMs } = this.#client
    const idleAt = (this.#restAt ?? Number.POSITIVE_INFINITY) + (idleAfterMs ?? 0)
    if (idleAfterMs !== undefined && this.#workAt === undefined && idleAt <= this.#now + ms) {
      this.#restAt = undefined
      this.#add('Notification.idle', idleAt)
    }
    const noticeAt = (this.#askedAt ?? Number.POSITIVE_INFINITY) + 6000
    if (this.#client.notice && noticeAt <= this.#now + ms) this.#add(this.#client.notice, noticeAt)
    this.#now += ms
  }

  #ask(names: readonly string[]) {
    const call = { tool_use_id: `call-${this.#session.events.length}` }
    const [id = ''] = names.map((name) => this.#add(name, this.#now, call))
    const asked = { id, at: this.#now, asks: true, wakesAt: undefined, goesOn: undefined }
    this.#session.unseen.push(asked)
    this.#askedAt = this.#now
  }

  /** No hook tells of the answer. */
  #answer() {
    if (this.#askedAt === undefined) return
    this.#askedAt = undefined
    this.#isFailing = false
    this.#session.personAt.push(this.#now)
  }

  #begin(isOwn: boolean, isHeard = true) {
    this.#isOwn = isOwn
    this.#workAt ??= this.#now
    this.#turns += 1
    if (!isOwn) return this.#write()
    this.#isStopped = false
    this.#session.own.push({ from: this.#now, to: this.#now, lastAt: this.#now })
    // Claude Code tells nobody when a message of a teammate begins a turn.
    if (!isHeard && this.#client.client === 'claude') return
    this.#heardAt ??= this.#now
    this.#addPayload(this.#client.own ?? {})
  }

  #write() {
    this.#heardAt ??= this.#now
    this.#isFailing = false
    this.#wroteAt = this.#now
    this.#session.personAt.push(this.#now)
    this.#add(this.#client.prompt)
    const event = this.#session.events.at(-1)
    // As its transcript shows then.
    if (event && this.#isStopped) event.isInterrupted = true
    this.#isStopped = false
  }

  #stop({ asks, starts, ends, wakes, goesOn }: Step) {
    const { lists = [], schedules } = this.#client
    const old = this.#tasks.filter((type, index) => type === mate || index >= ends)
    const started = starts.filter((type) => lists.includes(type))
    this.#tasks = [...old, ...started]
    // A refused end is none: the turn goes on.
    const fresh = [...this.#fresh, ...started]
    this.#fresh = goesOn === 'StopRefused' ? fresh : []
    this.#wakesAt = wakes && schedules ? this.#inMinutes(10) : undefined
    const crons = this.#wakesAt === undefined ? [] : [this.#wakesAt]
    const id = this.#add(this.#client.stop, this.#now, {
      ...(asks && { last_assistant_message: 'Shall I go on?' }),
      background_tasks: this.#tasks.map((type, index) => ({ id: `${index}`, type })),
      session_crons: crons.map((at) => ({ schedule: cronOf(at), recurring: false })),
    })
    const event = this.#session.events.at(-1)
    const agents = this.#tasks.filter((type) => type === 'subagent').length
    if (event) {
      Object.assign(event, { asks }, goesOn && { means: goesOn })
      if (this.#client.client === 'codex') {
        Object.assign(event, { backgroundTasks: agents, backgroundAgents: agents })
      }
    }
    this.#forgetAtOnce()
    if (goesOn !== 'StopRefused') this.#isFailing = false
    const isLong = this.#now - Math.min(this.#wroteAt, this.#heardAt ?? this.#now) >= SHORT_MS
    const isGoingOn = agents > 0 || fresh.includes(mate)
    if (isLong || asks) {
      this.#session.unseen.push({
        ...{ id, at: this.#now, asks: asks && goesOn === undefined, wakesAt: this.#wakesAt },
        goesOn: goesOn ? 'at once' : isGoingOn ? 'agents' : undefined,
      })
    }
    if (goesOn === undefined) return this.#rest()
    this.#turns += 1
    const own = this.#session.own.at(-1)
    if (own) own.lastAt = this.#now
  }

  /** Where the agent went on at once, only the real end of its turn matters, if that comes in time. */
  #forgetAtOnce() {
    const since = this.#now - AT_WORK_MS
    this.#session.unseen = this.#session.unseen.filter(
      ({ goesOn, at }) => goesOn !== 'at once' || at < since,
    )
  }

  #inMinutes(minutes: number): number {
    return Math.floor(this.#now / MINUTE_MS + minutes) * MINUTE_MS
  }

  #fail(name: string) {
    const id = this.#add(name)
    const event = this.#session.events.at(-1)
    // As its transcript shows.
    if (event && this.#heardAt === undefined) event.durationMs = this.#now - (this.#workAt ?? 0)
    this.#forgetAtOnce()
    const failed = { id, at: this.#now, wakesAt: undefined, goesOn: undefined }
    // That the same failure comes again is no news.
    if (!this.#isFailing) this.#session.unseen.push({ ...failed, asks: true, isFailure: true })
    this.#isFailing = true
    this.#rest()
  }

  #failElsewhere(): boolean {
    const { client, fail } = this.#client
    if (!fail) return true
    const event = parsePayload(readPayload(client, fail), { client, at: this.#now })
    const id = `elsewhere-${this.#session.elsewhere.length}`
    this.#session.elsewhere.push({ ...event, ...around, id, sessionId: 'elsewhere' })
    return true
  }

  #interrupt() {
    if (this.#client.interrupt) this.#add(this.#client.interrupt)
    else this.#isStopped = true
    this.#session.personAt.push(this.#now)
    this.#rest()
    this.#restAt = undefined
  }

  #leave(isAtWork: boolean): boolean {
    this.#session.personAt.push(this.#now)
    if (this.#client.end !== '' && !isAtWork) this.#add(this.#client.end)
    this.#rest()
    this.#restAt = undefined
    return false
  }

  #rest() {
    const own = this.#session.own.at(-1)
    if (own && this.#isOwn) own.to = this.#now
    this.#isOwn = false
    this.#workAt = undefined
    this.#heardAt = undefined
    this.#restAt = this.#now
  }

  #add(name: string, at = this.#now, more: object = {}): string {
    const { client } = this.#client
    return this.#addPayload({ ...readPayload(client, name), ...more }, at)
  }

  #addPayload(payload: object, at = this.#now): string {
    const { client } = this.#client
    const turn = client === 'codex' ? { turn_id: `turn-${this.#turns}` } : {}
    const env: Record<string, string> =
      client === 'claude' ? { CLAUDE_CODE_SESSION_ATTENDED: '1' } : {}
    const event = parsePayload({ ...payload, ...turn }, { client, at, env })
    const id = `event-${this.#session.events.length}`
    this.#session.events.push({ ...event, ...around, id })
    return id
  }
}

function cronOf(at: number): string {
  const date = new Date(at)
  return `${date.getMinutes()} ${date.getHours()} * * *`
}
