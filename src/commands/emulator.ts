import { defineCommand } from 'citty'
import { print } from '../cli/output.ts'
import { describeError, errorCode, HookbellError } from '../errors.ts'

export const emulatorCommand = defineCommand({
  meta: { name: 'emulator', description: 'Run a local server that behaves like the API' },
  args: {
    port: { type: 'string', default: '0', description: 'Port of the API; 0: any', valueHint: 'N' },
    'app-port': {
      type: 'string',
      default: '0',
      description: 'Port of the readiness reports; 0: any',
      valueHint: 'N',
    },
    seed: { type: 'string', description: 'What is there at the start (JSON)', valueHint: 'FILE' },
    faults: { type: 'string', description: 'What goes wrong (JSON)', valueHint: 'FILE' },
    state: {
      type: 'string',
      description: 'Keep the state in this file; if it is there, it wins over the seed',
      valueHint: 'FILE',
    },
  },
  async run({ args }) {
    const port = readPort('--port', args.port)
    const appPort = readPort('--app-port', args['app-port'])
    // Before the start, so that no signal falls into a gap.
    const stopped = waitForSignal()
    const emulator = await start({ ...args, port, appPort })
    const { url, appUrl, apiKey, computerId, serviceAccountId, keyId, sessionId } = emulator
    const ids = { computerId, serviceAccountId, keyId, sessionId }
    print(JSON.stringify({ url, appUrl, apiKey, ...ids }))
    await stopped
    await emulator.close()
  },
})

interface Start {
  port: number
  appPort: number
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
      ...(seed ? { seed: await loadSeed(seed) } : {}),
      ...(faults ? { faults: await loadFaults(faults) } : {}),
      ...(state ? { stateFile: state } : {}),
    })
  } catch (error) {
    if (!(error instanceof EmulatorError)) throw error
    const { hint, cause } = error
    const code = describeError(error).startsWith('port') ? 'E_UNAVAILABLE' : 'E_CONFIG'
    // A system error says why; what zod found is in the message already.
    const why = hint ?? (errorCode(cause) && describeError(cause))
    throw new HookbellError(code, `emulator: ${describeError(error)}`, {
      cause,
      ...(why ? { hint: why } : {}),
    })
  }
}

function waitForSignal(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}

function readPort(name: string, text: string): number {
  const port = Number(text)
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new HookbellError('E_USAGE', `emulator: ${name} takes a number to 65535, not "${text}"`)
}
