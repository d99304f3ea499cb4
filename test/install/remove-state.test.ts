import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { endWorker, removeEverything } from '../../src/install/remove-state.ts'
import { ownerToken, thisProcess } from '../../src/spool/lock/owner.ts'
import { makeHome } from './make-home.ts'

it('does not end a process of this machine if the worker runs on another machine', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  onTestFinished(() => void child.kill('SIGKILL'))
  const owner = { ...thisProcess(), pid: Number(child.pid), host: 'elsewhere.1' }
  const state = makeHome({ 'worker.lock': `${ownerToken(owner).replaceAll('_', ' ')} 1.0.0\n` })
  expect(await endWorker(state)).toBe(false)
  expect([child.exitCode, child.signalCode]).toEqual([null, null])
})

it('removes only files with exactly the names that hookbell uses', () => {
  const home = makeHome()
  // Left by a process that was killed while it wrote.
  const temporary = {
    state: ['hookbell-hook.4711', 'runtime.lock', 'runtime.lock.4711', 'places.json.4711'],
    config: [
      ...['config.json.4711', 'secrets.env.4711', 'secrets.env.lock', 'secrets.env.lock.4711'],
      '.edit-a1B2c3',
    ],
  }
  const ours = {
    state: [
      'hookbell-hook',
      'runtime',
      'runtime.old',
      'spool',
      'backups',
      'places.json',
      'journal.1',
      ...temporary.state,
    ],
    config: ['config.json', 'secrets.env', 'templates', ...temporary.config],
  }
  const theirs = {
    state: ['my-spool', 'spool.tar', 'runtime-notes', 'hookbell-hook~', 'x.places.json'],
    config: [
      ...['config.json.bak', 'config.json.lock', 'my-config.json', 'secrets.env~'],
      ...['secrets.env.2026-11-20', 'old-templates', '.edit', '.edit-notes-of-mine'],
    ],
  }
  for (const folder of ['state', 'config'] as const) {
    mkdirSync(join(home, folder))
    for (const name of [...ours[folder], ...theirs[folder]])
      writeFileSync(join(home, folder, name), '')
  }
  const left = removeEverything([join(home, 'state')], join(home, 'config'))
  const expected = Object.entries(theirs).flatMap(([folder, names]) =>
    names.map((name) => join(home, folder, name)),
  )
  expect(left.sort()).toEqual(expected.sort())
})
