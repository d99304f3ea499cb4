import { loadModules } from '../config/module-faults.ts'
import { type Check, check, type Facts } from './check.ts'

/** Checks the notifiers of the user's own: whether each can be loaded, and accepts the options of its channel. */
export async function checkModules({ loaded }: Facts): Promise<Check[]> {
  const all = await loadModules(loaded.config)
  return all.map(({ channel, file, fault }) => {
    const id = `channel.${channel}.module`
    if (!fault) return check(id, 'ok', `${file} is loaded, and accepts its options`)
    return check(
      id,
      'broken',
      fault.message,
      fault.hint ?? `Correct it, then: hookbell test ${channel}`,
    )
  })
}
