import { defineCommand } from 'citty'
import { howToCall } from '../cli/how-to-call.ts'
import { print } from '../cli/output.ts'
import type { Emulator } from '../emulator/index.ts'
import { describeError, errorCode, HookbellError, usageError } from '../errors.ts'
import { cleanText } from '../text/clean.ts'
import { quoteWord } from '../text/shell.ts'
import { didYouMean } from '../text/suggest.ts'
import { toSafeJson } from './api/fields.ts'
import { recordSeed } from './emulator/record.ts'

const ACTIONS = ['run', 'record']

/** The options of one action alone. */
const own: Readonly<Record<string, readonly string[]>> = {
  run: ['app-port', 'seed', 'faults', 'state'],
  record: ['base-url', 'app-url', 'out'],
}

export const emulatorCommand = defineCommand({
  args: {
    action: {
      type: 'positional',
      required: false,
      description:
        'run (default); record: pass requests on to a service, and write what it answers as a seed, without keys and personal data',
      valueHint: ACTIONS.join('|'),
    },
    port: { type: 'string', default: '0', description: 'Port of the API; 0: any', valueHint: 'N' },
    'app-port': {
      type: 'string',
      description: 'Another port for the readiness reports; 0: any',
      valueHint: 'N',
    },
    seed: { type: 'string', description: 'Initial state (JSON)', valueHint: 'FILE' },
    faults: { type: 'string', description: 'Faults to simulate (JSON)', valueHint: 'FILE' },
    state: {
      type: 'string',
      description: 'Store the state in this file; an existing file takes precedence over the seed',
      valueHint: 'FILE',
    },
    'base-url': { type: 'string', description: 'Of record: URL of the API', valueHint: 'URL' },
    'app-url': {
      type: 'string',
      description: 'Of record: URL of the readiness reports; by default that of the API',
      valueHint: 'URL',
    },
    out: { type: 'string', description: 'Of record: the seed to write', valueHint: 'FILE' },
    json: { type: 'boolean', description: 'Print only the line of JSON, on a terminal too' },
  },
  async run({ args }) {
    const { action = 'run', json = false } = args
    if (!ACTIONS.includes(action)) {
      const hint = didYouMean(action, ACTIONS, 'Actions')
      throw usageError(`emulator: unknown action "${action}"`, hint)
    }
    refuseOthers(action, args)
    for (const name of ['seed', 'faults', 'state'] as const) refuseEmpty(name, args[name])
    const port = readPort('--port', args.port)
    const other = args['app-port']
    const appPort = other === undefined ? undefined : readPort('--app-port', other)
    // Listen before the start, so that no signal is missed.
    const stopped = waitForSignal()
    if (action === 'record') {
      const { 'base-url': baseUrl, 'app-url': appUrl, out } = args
      return await recordSeed({ baseUrl, appUrl, out, port, stopped, json })
    }
    const emulator = await start({ ...args, port, appPort })
    const { url, appUrl, apiKey, computerId, serviceAccountId, keyId, sessionId } = emulator
    const ids = { computerId, serviceAccountId, keyId, sessionId }
    print(toSafeJson({ url, appUrl, apiKey, ...ids }))
    // stdout holds the JSON line alone, for programs that read it.
    if (process.stdout.isTTY && !json) process.stderr.write(howToUse(emulator))
    await stopped
    await emulator.close()
  },
})

interface Start {
  port: number
  appPort: number | undefined
  seed?: string
  faults?: string
  state?: string
}

async function start({ port, appPort, seed, faults, state }: Start) {
  const { loadFaults, loadSeed, startEmulator, EmulatorError } = await import(
    '../emulator/index.ts'
  )
  try {
    return await startEmulator({
      port,
      appPort,
      ...(seed === undefined ? {} : { seed: await loadSeed(seed) }),
      ...(faults === undefined ? {} : { faults: await loadFaults(faults) }),
      ...(state === undefined ? {} : { stateFile: state }),
    })
  } catch (error) {
    if (!(error instanceof EmulatorError)) throw error
    const { hint, cause } = error
    const code = error.isTaken ? 'E_UNAVAILABLE' : 'E_CONFIG'
    // A system error says why; what zod found is in the message already.
    const why = hint ?? (errorCode(cause) && describeError(cause))
    throw new HookbellError(code, `emulator: ${describeError(error)}`, { cause, hint: why })
  }
}

function waitForSignal(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve)
  })
}

function howToUse({ url, appUrl, apiKey }: Emulator): string {
  const variables = {
    HOOKBELL_API_BASE_URL: url,
    HOOKBELL_APP_BASE_URL: appUrl,
    HOOKBELL_API_KEY: apiKey,
  }
  const lines = Object.entries(variables).map(([name, value]) => `  export ${name}=${quote(value)}`)
  return cleanText(
    ['\nRunning until Ctrl+C. In another terminal:', ...lines, `  ${howToCall()} usage\n`].join(
      '\n',
    ),
  )
}

/** Quotes for a shell: the API key of a seed may be any text. */
function quote(value: string): string {
  return /^[\w.:/-]+$/.test(value) ? value : quoteWord(value)
}

/** Refuses the options of the other action, which would have no effect. */
function refuseOthers(action: string, args: Readonly<Record<string, unknown>>) {
  const others = action === 'run' ? 'record' : 'run'
  const given = own[others]?.find((name) => args[name] !== undefined)
  if (given) throw usageError(`emulator: --${given} is an option of "emulator ${others}"`)
}

/** Refuses an empty name, such as from an unset shell variable: the emulator must not start without the file. */
function refuseEmpty(name: string, file: string | undefined) {
  if (file === '') throw usageError(`emulator: --${name} takes a file, not ""`)
}

function readPort(name: string, text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw usageError(
    `emulator: ${name} takes a number to 65535, not "${text}"`,
    'Leave it out, or give 0, for any free port',
  )
}
