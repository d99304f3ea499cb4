import { everything, listEndpoints } from '../api/endpoints/index.ts'
import { didYouMean } from '../text/suggest.ts'
import { settle } from './agent.ts'
import { type Clock, makeClock } from './clock.ts'
import { EmulatorError } from './errors.ts'
import { type FaultInput, type Faults, makeFaults, parseFaults } from './faults.ts'
import { makeJournal, type RecordedRequest } from './journal.ts'
import { makeOwnHandlers, type OwnHandler } from './own-handlers.ts'
import { makeRouter } from './router.ts'
import { type Samples, samplesOf } from './samples.ts'
import { close, listen, urlOf } from './server.ts'
import { makeState } from './state/make-state.ts'
import { parseSeed, type Seed, type SeedInput } from './state/seed.ts'
import type { State } from './state/state.ts'
import { type StateView, viewState } from './state/state.ts'
import { findState, loadState, lockState, makeStateWriter } from './state/state-file.ts'
import type { Running, World } from './world.ts'

export interface EmulatorOptions {
  /** Port of the API. @default 0, any free one */
  port?: number | undefined
  /** A port of its own for the application, which serves the readiness reports; 0: any free one. @default that of the API */
  appPort?: number | undefined
  /** The initial state. Parts that are left out have defaults. */
  seed?: SeedInput | undefined
  /** Faults that are set from the start on. */
  faults?: readonly FaultInput[] | undefined
  /** File that keeps the state, for one emulator at a time. If it exists, it takes precedence over the seed. */
  stateFile?: string | undefined
  /** The base of the emulator's clock, in Unix milliseconds. @default Date.now */
  now?: (() => number) | undefined
}

export interface Emulator extends Samples {
  /** URL of everything but the readiness reports. */
  url: string
  /** URL of the readiness reports. */
  appUrl: string
  /** For `createClient`: both URLs and the key. */
  clientOptions: { apiKey: string; baseUrl: string; appUrl: string }
  /** The same as environment variables, for another process. */
  env: {
    HOOKBELL_API_BASE_URL: string
    HOOKBELL_APP_BASE_URL: string
    HOOKBELL_API_KEY: string
  }
  clock: Clock
  faults: Faults
  /** The last requests, oldest first. */
  requests(): readonly RecordedRequest[]
  /** The state of the emulator, without the values of keys. */
  state(): StateView
  /**
   * Restores the seed and the faults of the start; also resets the clock, the requests and what `on` has set. With a seed,
   * it goes on from there, and the keys and IDs above are those of that seed.
   */
  reset(seed?: SeedInput): void
  /**
   * Answers the requests for an endpoint yourself. No key is checked; faults still apply.
   * @returns a function that ends this
   *
   * @example
   * emulator.on('computers.get', ({ params }) => ({ body: { ...computer, id: params.computerId } }))
   * emulator.on('sessions.create', () => ({ status: 403, body: { detail: 'No', status: 403, title: 'Forbidden' } }))
   */
  on(endpoint: string, handler: OwnHandler): () => void
  close(): Promise<void>
  /** Closes it at the end of the block: `await using emulator = await startEmulator()`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a server on the loopback interface that behaves like the platform, with state.
 *
 * @example
 * await using emulator = await startEmulator()
 * const client = createClient(emulator.clientOptions)
 * await client.computers.get({ computerId: emulator.computerId })
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  refuseUnknown(options)
  checkPorts(options)
  const stateFile = options.stateFile === undefined ? undefined : findState(options.stateFile)
  const unlock = stateFile === undefined ? undefined : lockState(stateFile)
  try {
    return await start({ ...options, stateFile }, () => unlock?.())
  } catch (error) {
    unlock?.()
    throw error
  }
}

const known: Readonly<Record<keyof EmulatorOptions, true>> = {
  port: true,
  appPort: true,
  seed: true,
  faults: true,
  stateFile: true,
  now: true,
}

/** A misspelt option would silently have no effect. */
function refuseUnknown(options: EmulatorOptions) {
  const names = Object.keys(known)
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new EmulatorError(`startEmulator: unknown option "${unknown}"`, {
    hint: didYouMean(unknown, names),
  })
}

/** Node.js would take a text for the path of a socket. */
function checkPorts({ port = 0, appPort = 0 }: EmulatorOptions) {
  for (const [name, value] of Object.entries({ port, appPort }))
    if (!(Number.isInteger(value) && value >= 0 && value <= 65_535))
      throw new EmulatorError(`startEmulator: ${name} must be a whole number from 0 to 65535`)
}

async function start(options: EmulatorOptions, unlock: () => void): Promise<Emulator> {
  const running = prepare(options)
  const { world, journal, faults } = running
  const servers = await listenOn(running, options)
  const [url = '', appUrl = url] = servers.map(urlOf)
  const connect = () => {
    const samples = samplesOf(world)
    const { apiKey } = samples
    running.addresses = { url, appUrl, apiKey }
    return {
      ...{ url, appUrl, ...samples },
      clientOptions: { apiKey, baseUrl: url, appUrl },
      env: {
        HOOKBELL_API_BASE_URL: url,
        HOOKBELL_APP_BASE_URL: appUrl,
        HOOKBELL_API_KEY: apiKey,
      },
    }
  }
  const stop = async () => {
    await Promise.all(servers.map(close))
    unlock()
  }
  const emulator: Emulator = {
    ...connect(),
    clock: world.clock,
    faults: { add: faults.add, clear: faults.clear, list: faults.list },
    requests: journal.list,
    state() {
      settle(world, world.clock.now())
      running.save()
      return viewState(world.state)
    },
    reset(seed) {
      running.reset(seed)
      Object.assign(emulator, connect())
    },
    on: running.ownHandlers.on,
    close: stop,
    [Symbol.asyncDispose]: stop,
  }
  return emulator
}

/** One server for both hosts, or two. */
async function listenOn(running: Running, { port = 0, appPort }: EmulatorOptions) {
  if (appPort === undefined) return [await listen(running, 'both', port)]
  const server = await listen(running, 'base', port)
  const appServer = await listen(running, 'app', appPort).catch(async (error) => {
    await close(server)
    throw error
  })
  return [server, appServer]
}

function prepare(options: EmulatorOptions): Running {
  const { stateFile, now = Date.now } = options
  const seed = parseSeed(options.seed ?? {})
  const startFaults = parseFaults(options.faults ?? [])
  const loaded = stateFile === undefined ? undefined : loadState(stateFile)
  const write = stateFile === undefined ? undefined : makeStateWriter(stateFile)
  const save = () => write?.(world.state)
  const world = makeWorld(seed, now, loaded, save)
  const journal = makeJournal()
  const faults = makeFaults()
  const ownHandlers = makeOwnHandlers()
  const begin = () => {
    journal.clear()
    faults.clear()
    ownHandlers.clear()
    for (const fault of startFaults) faults.add(fault)
    save()
  }
  begin()
  const running: Running = {
    ...{ world, journal, faults, ownHandlers, save },
    router: routerFor(seed),
    addresses: { url: '', appUrl: '', apiKey: '' },
    reset(other) {
      world.seed = other === undefined ? seed : parseSeed(other)
      world.state = makeState(world.seed)
      running.router = routerFor(world.seed)
      begin()
    },
  }
  return running
}

function routerFor({ behavior }: Seed) {
  return makeRouter(listEndpoints(everything), behavior.readinessAddress)
}

/** The state of a seed, or one that was kept, and its clock. */
export function makeWorld(
  seed: Seed,
  base: () => number,
  state: State = makeState(seed),
  onMove?: () => void,
): World {
  const offset = {
    get: () => world.state.clockOffsetMs,
    set(milliseconds: number) {
      world.state.clockOffsetMs = milliseconds
      onMove?.()
    },
  }
  const world: World = { seed, state, clock: makeClock(base, offset) }
  return world
}
