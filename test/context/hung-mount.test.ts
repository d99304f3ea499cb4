import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { execaSync } from 'execa'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { transcriptOf } from '../../src/context/of-client.ts'
import { branchOf, projectName } from '../../src/context/project.ts'
import { readTail } from '../../src/context/transcript.ts'
import { PathGate } from '../../src/fs/path-gate.ts'
import { canHang, makeHungMount } from '../support/hung-mount.ts'
import { makeAgentEvent } from '../support/payload.ts'

describe.runIf(canHang)('paths on a hung mount', () => {
  it('block neither other file operations nor the events of other folders', async () => {
    const mount = await makeHungMount()
    const gate = new PathGate({ timeoutMs: 300 })
    const names = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) =>
        projectName(join(mount, name), '/home/me', gate),
      ),
    )
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    // If the hung paths used all threads, this would never return.
    await readFile(import.meta.filename)
    expect(await projectName(import.meta.dirname, '/home/me', gate)).toBe('context')
  })

  it('do not block the search for the transcript of a session', async () => {
    vi.stubEnv('KIMI_CODE_HOME', join(await makeHungMount(), 'kimi'))
    const event = makeAgentEvent({ client: 'kimi', sessionId: 'session_1' })
    expect(await transcriptOf(event, new PathGate({ timeoutMs: 300 }))).toBe('')
  })

  it('are not accessed for a transcript outside of the folders of the client', async () => {
    const mount = await makeHungMount()
    const root = mkdtempSync(join(tmpdir(), 'hookbell-root-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const gate = new PathGate({ timeoutMs: 60_000 })
    for (const path of [join(mount, 'x.jsonl'), `${root}/../${basename(mount)}/x.jsonl`]) {
      expect(await readTail(path, [root], 1000, gate)).toMatchObject({ text: '', isRefused: true })
    }
  })
})

/** A gate that gives up after 500 ms of a fake clock, and work that lasts until it is released. */
function makeSlowWork() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const releases: (() => void)[] = []
  const work = () => new Promise<string>((resolve) => releases.push(() => resolve('found')))
  return { gate: new PathGate({ timeoutMs: 500 }), releases, work }
}

describe('work on the paths of payloads', () => {
  it('runs two at a time, in order, and all of it is done if nothing hangs', async () => {
    const gate = new PathGate({ timeoutMs: 600_000 })
    const numbers = Array.from({ length: 50 }, (_, index) => index)
    // Twice, to show that the slots are free again.
    for (let round = 0; round < 2; round += 1) {
      const started: number[] = []
      let running = 0
      let most = 0
      const work = async (index: number) => {
        started.push(index)
        running += 1
        most = Math.max(most, running)
        await sleep(1)
        running -= 1
        return index
      }
      const results = numbers.map((index) => gate.run(() => work(index), -1))
      expect(await Promise.all(results)).toEqual(numbers)
      expect(started).toEqual(numbers)
      expect(most).toBe(2)
    }
  })

  it('is given up after a timeout, or at once while two hang, and is done again when one of them returns', async () => {
    const gate = new PathGate({ timeoutMs: 50 })
    const found = async () => 'found'
    // Twice, to show that neither finished work nor work that returned late still occupies a slot.
    for (let round = 0; round < 2; round += 1) {
      for (let at = 0; at < 3; at += 1) expect(await gate.run(found, '')).toBe('found')
      const releases: (() => void)[] = []
      const hang = () => new Promise<string>((resolve) => releases.push(() => resolve('late')))
      const givenUp: string[] = []
      const waiting = ['c', 'd'].map((name) => async () => `${givenUp.push(name)}`)
      const all = [
        ...['a', 'b'].map((name) => gate.run(hang, name)),
        ...waiting.map((work, index) => gate.run(work, 'cd'.charAt(index))),
      ]
      expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
      expect(await Promise.race([gate.run(found, 'd'), nextTurn('not at once')])).toBe('d')
      releases[0]?.()
      await expect.poll(() => gate.run(found, 'e')).toBe('found')
      releases[1]?.()
      await nextTurn()
      expect(givenUp).toEqual([])
    }
  })

  it('is not given up because it waits for other, slow work', async () => {
    const { gate, releases, work } = makeSlowWork()
    const results = Promise.all(['a', 'b', 'c', 'd'].map((name) => gate.run(work, name)))
    for (const count of [2, 4]) {
      await vi.advanceTimersByTimeAsync(400)
      expect(releases).toHaveLength(count)
      for (const release of releases) release()
    }
    expect(await results).toEqual(['found', 'found', 'found', 'found'])
  })

  it('is not given up while hanging work occupies only one of the two slots', async () => {
    const { gate, releases, work } = makeSlowWork()
    const hanging = gate.run(work, 'given up')
    await vi.advanceTimersByTimeAsync(300)
    const results = ['b', 'c'].map((name) => gate.run(work, name))
    await vi.advanceTimersByTimeAsync(300)
    expect(await hanging).toBe('given up')
    for (const count of [2, 3]) {
      expect(releases).toHaveLength(count)
      releases.at(-1)?.()
      await nextTurn()
    }
    expect(await Promise.all(results)).toEqual(['found', 'found'])
  })

  it('that ended in time does not count as hanging later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const gate = new PathGate({ timeoutMs: 500 })
    const found = async () => 'found'
    for (let round = 0; round < 3; round += 1) {
      expect(await gate.run(found, 'given up')).toBe('found')
      await vi.advanceTimersByTimeAsync(1000)
    }
  })

  it('is not given up because this process was held up', async () => {
    const gate = new PathGate({ timeoutMs: 200 })
    const found = gate.run(() => readFile(import.meta.filename, 'utf8'), '')
    const start = performance.now()
    while (performance.now() - start < 400);
    expect(await found).toContain('held up')
  })

  it('that fails returns the default and frees its slot', async () => {
    const gate = new PathGate()
    const fail = async () => {
      throw new Error('no')
    }
    for (let at = 0; at < 5; at += 1) expect(await gate.run(fail, 'nothing')).toBe('nothing')
  })

  it('is not done for system paths, whose last part becomes the name of the project', async () => {
    const gate = new PathGate()
    const run = vi.spyOn(gate, 'run')
    for (const path of [
      '/proc/1/cwd',
      '/sys/a/cwd',
      '/dev/cwd',
      '/net/host/cwd',
      '//host/cwd',
      '/a/../proc/cwd',
    ]) {
      expect(await projectName(path, '/home/me', gate)).toBe('cwd')
      expect(await branchOf(path, gate)).toBe('')
    }
    expect(run).not.toHaveBeenCalled()
  })

  it('follows a folder of the client that is a symbolic link', async () => {
    const root = mkdtempSync(join(tmpdir(), 'hookbell-root-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    mkdirSync(join(root, 'real'))
    writeFileSync(join(root, 'real/x.jsonl'), 'text')
    execaSync('ln', ['-s', 'real', join(root, 'linked')])
    for (const name of ['real', 'linked']) {
      const path = join(root, name, 'x.jsonl')
      expect((await readTail(path, [join(root, 'linked')], 1000)).text).toBe('text')
    }
  })
})
