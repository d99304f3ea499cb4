import { spawn } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { workerEnvironment } from '../../src/config/worker-env.ts'
import { recordId } from '../../src/hub/record.ts'
import type { EventStatus } from '../../src/journal/history.ts'
import { readJournal } from '../../src/journal/read.ts'
import { writeMutes } from '../../src/policy/mute-file.ts'
import { parseName } from '../../src/spool/layout.ts'
import { lockHolder } from '../../src/spool/lock/lock.ts'
import { flush, purge, setOnHold } from '../../src/worker/control.ts'
import { runUntilIdle } from '../../src/worker/run.ts'
import { builtWorker } from '../support/program.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import type { startRedis } from '../support/redis.ts'
import { exited, makeWorld } from './_world.ts'

/** What may happen to hookbell, and at most how many events come. */
export type Action =
  | { do: 'note' | 'ask' | 'answer'; session: number; count: number }
  | { do: 'nonsense' | 'unrouted' }
  | { do: 'work' | 'beside' | 'start' | 'stop' }
  | { do: 'kill' | 'fill'; call: number }
  | { do: 'receiver'; mode: keyof typeof receiverModes }
  | { do: 'hub'; isUp: boolean }
  | { do: 'configure'; change: Partial<Settings> | 'nonsense' }
  | { do: 'mute' | 'hold'; isOn: boolean }
  | { do: 'flush' | 'purge' | 'full' }

export const receiverModes = {
  up: { status: 200 },
  down: { status: 500 },
  busy: { status: 429, headers: { 'retry-after': '1' } },
  gone: { status: 404 },
}

interface Settings {
  isQuiet: boolean
  isFileBroken: boolean
  to: readonly string[]
}

/** An event that was accepted. */
export interface Told {
  id: string
  kind: 'note' | 'ask' | 'answer' | 'nonsense' | 'unrouted'
  session: string
}

interface Arrival {
  channel: string
  id: string
}

type Redis = Awaited<ReturnType<typeof startRedis>>

/** System calls that change something on the disk. */
const WRITES = 'fsync,fdatasync,link,unlink,rename,mkdir,rmdir,ftruncate'

const payloads = {
  note: { hook_event_name: 'Notification', notification_type: 'auth_success' },
  ask: { hook_event_name: 'PermissionRequest', tool_name: 'Bash' },
  answer: { hook_event_name: 'UserPromptSubmit' },
  unrouted: { hook_event_name: 'SubagentStop' },
}

/** A machine with a file, a webhook and a hub, on which the actions are played, and what is known of it. */
export class Machine {
  readonly world = makeWorld()
  readonly told: Told[] = []
  /** Events of which a message may come twice, or late: a worker that had them was killed, or could not record it. */
  readonly uncertain = new Set<string>()
  /** Events that two workers had at the same time. */
  readonly unordered = new Set<string>()
  /** Events of which no person, or nobody at all, may get a message from the next worker on. */
  readonly over = new Set<string>()
  readonly purged = new Set<string>()
  /** What was asked for at any time, and what has been in force since the last worker ended. */
  readonly ever = new Set<string>()
  readonly inForce = new Set<string>()
  readonly #wanted = new Set<string>()
  readonly #came: (Arrival & { from: string })[] = []
  #isHubUp = true
  readonly #redis: Redis | undefined
  #settings: Settings = { isQuiet: false, isFileBroken: false, to: ['file', 'hook', 'far'] }
  #url = ''
  #mode: keyof typeof receiverModes = 'up'
  #disk: 'fine' | 'filling' | 'full' = 'fine'
  #running: { done: Promise<unknown>; end: AbortController } | undefined
  #close = async () => {}
  #count = 0

  constructor(redis: Redis | undefined) {
    this.#redis = redis
  }

  async open() {
    const { url, close } = await startReceiver({ script: [(request) => this.#receive(request)] })
    this.#url = url
    this.#close = close
    await this.#startHub()
    await this.#redis?.ask('FLUSHALL')
    this.#configure({})
    // From now on there is a configuration to fall back to.
    await this.world.once()
    return this
  }

  /** @returns whether no worker runs after it, so that everything must agree */
  async play(action: Action): Promise<boolean> {
    switch (action.do) {
      case 'note':
      case 'ask':
      case 'answer':
        for (let index = 0; index < action.count; index += 1) {
          this.#tell(action.do, action.session)
          // Longer than the resolution of the times of files: which one came first could not be told.
          await sleep(5)
        }
        return !this.#running
      case 'unrouted':
        this.#tell('unrouted', 0)
        return !this.#running
      case 'nonsense':
        this.#add('nonsense', '', this.world.acceptRaw('no JSON'))
        return !this.#running
      case 'receiver':
        this.#mode = action.mode
        this.ever.add(action.mode)
        return false
      case 'configure':
        if (action.change === 'nonsense') this.world.configure('{')
        else this.#configure(action.change)
        return false
      case 'full':
        this.#disk = 'filling'
        this.inForce.add('full')
        if (this.#mode === 'gone') this.#mode = 'down'
        return false
      case 'mute':
        this.#want('mute', action.isOn)
        writeMutes(
          this.world.stateDir,
          action.isOn ? [{ until: 0, questions: true }] : [],
          Date.now(),
        )
        return false
      case 'hold':
        this.#want('hold', action.isOn)
        setOnHold(this.world.stateDir, action.isOn)
        return false
      case 'flush':
        flush(this.world.stateDir)
        return false
      case 'hub':
        this.#isHubUp = action.isUp
        await (action.isUp ? this.#startHub() : this.#redis?.stop())
        return false
      default:
        return await this.#run(action)
    }
  }

  async #run(action: Action): Promise<boolean> {
    const { world } = this
    const ids = this.told.map(({ id }) => id)
    if (action.do === 'purge') {
      this.ever.add('purge')
      await purge(world.stateDir)
      for (const id of ids) this.purged.add(id)
      return !this.#running
    }
    if (action.do === 'start') {
      this.#start()
      await sleep(20)
      return false
    }
    if (action.do === 'beside') {
      this.#start()
      await world.once()
      for (const { id } of this.told) this.unordered.add(id)
      return false
    }
    await this.#stop()
    if (action.do === 'work') await world.once()
    if (action.do === 'kill' || action.do === 'fill') await this.#strike(action)
    this.#emptyDisk()
    return true
  }

  /** Repairs everything, and delivers until nothing waits. */
  async repair() {
    await this.#stop()
    await this.play({ do: 'hub', isUp: true })
    for (const what of ['mute', 'hold'] as const) await this.play({ do: what, isOn: false })
    this.#mode = 'up'
    this.#configure({ isQuiet: false, isFileBroken: false })
    await this.world.untilIdle()
  }

  /** What has arrived so far, in order for each channel. Only while no worker runs. */
  async arrivals(): Promise<readonly Arrival[]> {
    const inFile = this.world.lines().map(({ id }) => id)
    this.#note('file', inFile)
    const idOf = new Map(this.told.map(({ id }) => [recordId([id], 'far'), id]))
    const records = await this.#records()
    this.#note(
      'hub',
      records.map((line) => idOf.get(JSON.parse(line).id) ?? ''),
    )
    return this.#came.filter(({ id }) => this.told.some((one) => one.id === id))
  }

  #note(from: string, ids: readonly string[]) {
    const known = this.#came.filter((one) => one.from === from).length
    const channel = from === 'hub' ? 'far' : from
    for (const id of ids.slice(known)) this.#came.push({ channel, id, from })
  }

  async #startHub() {
    await this.#redis?.ask('PING').catch(() => this.#redis?.start())
  }

  async #records(): Promise<string[]> {
    if (!this.#redis) return []
    // What it has can be read only while it runs, and no worker sees that now.
    await this.#startHub()
    const records = (await this.#redis.ask('LRANGE', 'hb:in', '0', '-1')) as string[]
    if (!this.#isHubUp) await this.#redis.stop()
    return records
  }

  /** Names of what waits or is dead in the spool: events by id, deliveries by event and channel. */
  spool() {
    const { spool, parked, dead } = this.world
    const owners = readdirSync(spool.cur).map((owner) => join(spool.cur, owner))
    const files = [spool.new, ...owners].flatMap((folder) => readdirSync(folder))
    const claimed = files.map((name) => parseName(name)?.id ?? name)
    const strip = (name: string) => name.replace(/~\d+$/, '')
    return { waiting: [...claimed, ...parked().map(strip)], dead: dead().map(strip) }
  }

  /** Call it once everything that arrived since the last worker has been looked at. */
  rest(statuses: ReadonlyMap<string, EventStatus>) {
    this.inForce.clear()
    for (const what of this.#wanted) this.inForce.add(what)
    for (const id of this.purged) this.over.add(id)
    for (const [index, { id, kind, session }] of this.told.entries()) {
      const isEnd = (one: Told) => one.kind === 'answer' && one.session === session
      const ends = this.told.slice(index).filter(isEnd)
      const isHandled = ends.some((one) => statuses.get(one.id)?.reason.startsWith('no route'))
      if (kind === 'ask' && isHandled) this.over.add(id)
    }
  }

  async entriesOf(): Promise<Map<string, string[]>> {
    const types = new Map<string, string[]>()
    for await (const { id, type } of readJournal(this.world.stateDir))
      types.set(id, [...(types.get(id) ?? []), type])
    return types
  }

  async close() {
    await this.#stop()
    await this.#close()
  }

  #receive({ path, body }: Received) {
    if (this.#disk === 'filling') renameSync(this.world.spool.tmp, this.#away)
    if (this.#disk === 'full') this.#emptyDisk()
    else if (this.#disk === 'filling') this.#disk = 'full'
    const { id } = JSON.parse(body).data
    const isOurs = this.told.some((one) => one.id === id)
    if (this.#mode === 'up' && isOurs)
      this.#came.push({ channel: path.slice(1), id, from: 'receiver' })
    return receiverModes[this.#mode]
  }

  get #away() {
    return `${this.world.spool.tmp}.away`
  }

  /** There is room again. */
  #emptyDisk() {
    this.#disk = 'fine'
    if (!existsSync(this.#away)) return
    if (existsSync(this.world.spool.tmp)) rmSync(this.#away, { recursive: true })
    else renameSync(this.#away, this.world.spool.tmp)
  }

  #want(what: string, isOn: boolean) {
    this.ever.add(what)
    if (isOn) this.#wanted.add(what)
    else this.#wanted.delete(what)
    if (isOn && !this.#running) this.inForce.add(what)
    if (!isOn) this.inForce.delete(what)
  }

  #tell(kind: keyof typeof payloads, session: number) {
    const sessionId = `s${session}`
    this.#count += 1
    // On a full disk nothing is accepted, which the agent would be told.
    this.#emptyDisk()
    const text = `number ${this.#count}`
    const about = { message: text, tool_input: { command: text }, tool_use_id: text, prompt: text }
    // What waits on the disk is reviewed before it is sent.
    if (kind === 'answer' && !this.#running) this.#endQuestions(sessionId)
    const id = this.world.accept({ ...payloads[kind], session_id: sessionId, ...about })
    this.#add(kind, sessionId, id)
  }

  #endQuestions(session: string) {
    const waiting = new Set(this.world.parked().map((name) => name.split('.')[0]))
    for (const one of this.told) {
      if (one.kind === 'ask' && one.session === session && waiting.has(one.id))
        this.over.add(one.id)
    }
  }

  #add(kind: Told['kind'], session: string, id: string) {
    this.told.push({ id, kind, session })
  }

  #configure(change: Partial<Settings>) {
    this.#settings = { ...this.#settings, ...change }
    const { isQuiet, isFileBroken, to } = this.#settings
    this.#want('quiet', isQuiet)
    const hour = (more: number) => `${(new Date().getUTCHours() + 24 + more) % 24}:00`
    const { outFile, folder } = this.world
    const webhook = (name: string) => ({
      ...{ type: 'webhook', url: `${this.#url}/${name}`, allowPrivateNetwork: true },
    })
    const url = this.#redis?.url()
    const hub = { url, channels: ['far'], after: 'direct', directAfterMinutes: 1 / 600 }
    this.world.configure({
      channels: {
        file: { type: 'file', path: isFileBroken ? join(folder, 'x'.repeat(300)) : outFile },
        hook: webhook('hook'),
        far: webhook('far'),
      },
      ...(url && { hub }),
      routes: [{ on: ['Notification', 'permission'], to }],
      retry: { firstDelaySeconds: 0.02, maxDelaySeconds: 0.05 },
      noise: {
        burstSeconds: 0.2,
        quietHours: isQuiet ? [{ from: hour(-1), to: hour(3), timeZone: 'UTC' }] : [],
      },
      lingerSeconds: 0,
    })
  }

  #start() {
    if (this.#running) return
    const end = new AbortController()
    const { stateDir, configDir } = this.world
    const done = runUntilIdle({ stateDir, configDir, ending: end.signal })
    this.#running = { done, end }
  }

  async #stop() {
    this.#running?.end.abort()
    await this.#running?.done
    this.#running = undefined
  }

  /** Runs a worker that is killed at one of its system calls, or whose disk is full from then on for a while. */
  async #strike({ do: what, call }: { do: 'kill' | 'fill'; call: number }) {
    for (const { id } of this.told) {
      this.uncertain.add(id)
      this.unordered.add(id)
    }
    const { stateDir, env } = this.world
    const [calls, effect] =
      what === 'kill' ? [WRITES, 'signal=SIGKILL'] : ['fsync,fdatasync,mkdir', 'error=ENOSPC']
    const when = what === 'kill' ? `${call}` : `${call}..${call + 10}`
    const inject = `inject=${calls}:${effect}:when=${when}`
    const words = ['-f', '-o', '/dev/null', '-e', inject, process.execPath, builtWorker]
    const options = { env: workerEnvironment(stateDir, env), stdio: 'ignore' } as const
    const worker = spawn('strace', words, { ...options, detached: true })
    const end = () => process.kill(-(worker.pid ?? 0), 'SIGKILL')
    onTestFinished(() => void worker.kill('SIGKILL'))
    // While something is broken, it would run for ever.
    const timer = setTimeout(end, 3000)
    await exited(worker)
    clearTimeout(timer)
    // Its tracer may have ended before it.
    for (let by = lockHolder(stateDir); by && by.pid !== process.pid; by = lockHolder(stateDir))
      await sleep(10)
  }
}
