import { DeliveryError } from '../notifiers/define.ts'
import { type Channel, callModule } from '../notifiers/module/call.ts'
import type { Config } from './schema/schema.ts'

/** A person waits for it. Loading takes a fraction of a second. */
const LIMIT_MS = 10_000

interface ModuleState {
  channel: string
  file: string
  /** Why it can send nothing; undefined if it is loaded, and accepts its options. */
  fault: DeliveryError | undefined
}

/** Loads the notifiers of the user's own, without sending anything. Not part of the validation: it starts processes. */
export async function loadModules({ channels }: Pick<Config, 'channels'>): Promise<ModuleState[]> {
  const own = Object.entries(channels).filter(([, { type, state }]) => type === 'module' && !state)
  const states = own.map(async ([name, channel]) => {
    const { file, options } = channel as object as Channel
    const signal = AbortSignal.timeout(LIMIT_MS)
    const loading = callModule({ file, options }, { name: 'check' }, { signal })
    return { channel: name, file, fault: await loading.then(() => undefined, asFault) }
  })
  return await Promise.all(states)
}

function asFault(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error
  throw error
}
