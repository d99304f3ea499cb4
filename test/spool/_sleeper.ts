import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { type Owner, thisProcess } from '../../src/spool/lock/owner.ts'

/** Starts an idle process and describes it as an owner. Killed at the end of the test. */
export async function startSleeper() {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  await once(child, 'spawn')
  onTestFinished(() => void child.kill('SIGKILL'))
  const pid = child.pid ?? 0
  const stat = () => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(') ') + 2).split(' ')
  }
  const owner: Owner = { ...thisProcess(), pid, started: stat()[19] ?? '' }
  return {
    owner,
    async stop() {
      child.kill('SIGSTOP')
      await expect.poll(() => stat()[0]).toBe('T')
    },
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
