import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, such as because each of their tests installs hookbell. */
const longest = [
  'doctor/faults-of-hooks',
  'doctor/faults',
  'worker/hostile-repository',
  'session',
  'clone',
  'commands/canary-secret',
  'package-consumers',
  'examples/shell',
  'hub-server/sweep',
  'hub-server/faults',
  'commands/init',
]

/** Starts the longest files first. One that started late would run alone at the end, with an idle second processor. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) =>
      longest.some((name) => moduleId.endsWith(`/test/${name}.test.ts`))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
