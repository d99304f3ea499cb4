import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { fireCanary } from '../../src/doctor/door.ts'
import { readQuietly } from '../../src/fs/read.ts'
import { makeFolder } from '../support/folder.ts'
import { shellQuote } from '../support/shell-quote.ts'

const PATIENT_MS = 600_000
const env = { PATH: process.env.PATH, MARK: 'of the caller' }

it.each([
  ['ends with a status', 'exit 3', { code: 3, output: '', isLate: false }],
  [
    'prints',
    'echo out; echo err >&2',
    { code: 0, output: expect.stringMatching(/^(out\n|err\n){2}$/) },
  ],
  ['ends without reading', 'exec <&-', { code: 0, isLate: false }],
])('the canary reports that a hook command %s', async (_, command, expected) => {
  expect(await fireCanary(command, env, 's', PATIENT_MS)).toMatchObject(expected)
})

it('the canary is one event, silent by its name, on an input that stays open', async () => {
  const folder = await makeFolder()
  const path = join(folder, 'seen')
  const read = `head -c 64 >${shellQuote(path)}; printf '\\n%s %s' "$MARK" "$PWD"`
  const { output, isLate } = await fireCanary(read, env, 'session-1'.padEnd(40, 'x'), PATIENT_MS)
  expect(isLate).toBe(false)
  expect(output).toBe('\nof the caller /')
  expect(readFileSync(path, 'utf8')).toContain('"hook_event_name":"HookbellCanary","session_id":"s')
})

const isAlive = (pid: number) => existsSync(`/proc/${pid}`)

it.runIf(process.platform === 'linux').each([
  ['does not end', 'echo $$ >"$SEEN"; sleep 600'],
  [
    'leaves a process behind that holds its output',
    `sh -c 'echo $$ >"$SEEN"; exec sleep 600' & until [ -s "$SEEN" ]; do :; done`,
  ],
])('the canary ends a hook command that %s, with all its processes', async (_, command) => {
  const folder = await makeFolder()
  const seen = join(folder, 'seen')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const running = fireCanary(command, { ...env, SEEN: seen }, 's', PATIENT_MS)
  const pidIn = () => Number(readQuietly(seen))
  await expect.poll(pidIn).toBeGreaterThan(1)
  const pid = pidIn()
  vi.advanceTimersByTime(PATIENT_MS)
  expect(await running).toMatchObject({ isLate: true })
  await expect.poll(() => isAlive(pid)).toBe(false)
})
