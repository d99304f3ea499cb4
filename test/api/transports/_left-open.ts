import { ownTime } from '../../support/own-time.ts'

/** What keeps this process alive. Waits until nothing does, for less than any timer or idle connection would last. */
export async function leftOpen(): Promise<string[]> {
  const left = () => process.getActiveResourcesInfo().filter((name) => /TCP|TLS|Timeout/.test(name))
  for (let turn = 0; left().length > 0 && turn < 40; turn += 1) await ownTime(50)
  return left()
}
