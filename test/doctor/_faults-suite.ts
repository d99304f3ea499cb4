import { describe, expect, it } from 'vitest'
import { type BrokenHome, canMount, followAdvice, makeWorkingHome } from './_broken-home.ts'

export type Step = (home: BrokenHome) => unknown

/** One fault on the machine of a user. */
export interface Fault {
  /** Default: droid. */
  client?: string
  break?: Step
  /** Shell lines that run as root and prepare the file system. */
  prelude?: string
  /** The check that reports the fault: its id, status, finding and advice. */
  doctor: [id: string, status: 'warning' | 'broken', seen: RegExp, advice: RegExp]
  /** The problem that `status` prints, exiting with 1. Undefined: it prints none, since delivery still works. */
  status?: RegExp
  /** What repairs the fault: `doctor --fix`, the literal advice of the check, or a step by hand. */
  repair: 'fix' | 'as advised' | Step
}

/** The problems that `status` prints. After a repair, a worker may still be emptying the fallback folder. */
const problems = async (home: BrokenHome) =>
  (await home.run(['status'])).stdout.split('\n').filter((line) => /^x |has a problem: /.test(line))

/** Breaks a working home, and expects what `doctor` and `status` report before and after the repair. */
export function testFaults(faults: Readonly<Record<string, Fault>>) {
  describe('doctor reports that', () => {
    for (const [title, fault] of Object.entries(faults)) {
      it.skipIf(fault.prelude !== undefined && !canMount)(title, async () => {
        const home = await makeWorkingHome(fault.client ?? 'droid', fault.prelude)
        await fault.break?.(home)

        const status = await home.run(['status'])
        expect(status.stdout).toMatch(fault.status ?? /^/)
        expect(status.exitCode).toBe(fault.status === undefined ? 0 : 1)

        const [id, verdict, seen, advice] = fault.doctor
        const isFixed = fault.repair === 'fix'
        // A fault to repair by hand stays unchanged by --fix.
        const isByHand = typeof fault.repair === 'function'
        const { exitCode, faults } = await home.examine(...(isByHand ? ['--fix'] : []))
        const found = faults.find((one) => one.id === id)
        expect(found).toEqual({
          id,
          status: verdict,
          seen: expect.stringMatching(seen),
          do: expect.stringMatching(advice),
        })
        expect(exitCode).toBe(faults.some((one) => one.status === 'broken') ? 2 : 1)

        if (fault.repair === 'as advised') await followAdvice(found?.do ?? '', home)
        else if (fault.repair !== 'fix') await fault.repair(home)
        const after = await home.examine(...(isFixed ? ['--fix'] : []))
        expect(after.faults.filter((one) => one.id !== 'spool.fallback')).toEqual([])
        expect(after.fixed.length > 0).toBe(isFixed)
        if (fault.status) await expect.poll(() => problems(home)).toEqual([])
      })
    }
  })
}
