import { ownTime } from '../../support/own-time.ts'

/**
 * The resources that keep this process alive. Waits up to 2 s until there are none, which is less than any timer or idle
 * connection of the client would last.
 */
export async function leftOpen(): Promise<string[]> {
  const left = () => process.getActiveResourcesInfo().filter((name) => /TCP|TLS|Timeout/.test(name))
  for (let turn = 0; left().length > 0 && turn < 40; turn += 1) await ownTime(50)
  return left()
}
