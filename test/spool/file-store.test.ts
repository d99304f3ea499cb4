import { existsSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { FileStore } from '../../src/spool/file-store.ts'
import { makeFolder } from '../support/folder.ts'

async function watchNew() {
  const store = new FileStore({ stateDir: await makeFolder() })
  let calls = 0
  const watcher = store.watch(() => {
    calls += 1
  })
  onTestFinished(() => {
    watcher.close()
    store.close()
  })
  const arrive = (name: string) => {
    const temporary = join(store.spool.tmp, name)
    writeFileSync(temporary, 'hookbell-event 1\nclient: claude\n\n{}')
    renameSync(temporary, join(store.spool.new, name))
  }
  return { store, arrive, calls: () => calls }
}

it.runIf(process.platform === 'linux')('does not report its own claims as changes', async () => {
  const { store, arrive, calls } = await watchNew()
  arrive('event-1')
  await expect.poll(calls).toBe(1)
  expect(store.claimEvent('event-1')).toBeDefined()
  expect(existsSync(join(store.spool.new, 'event-1'))).toBe(false)
  // Notifications arrive in order, so any notification about the claim has arrived with this one.
  arrive('event-2')
  await expect.poll(calls).toBeGreaterThan(1)
  expect(calls()).toBe(2)
})

it('reports a change when the folder itself is touched', async () => {
  const { store, calls } = await watchNew()
  utimesSync(store.spool.new, new Date(), new Date())
  await expect.poll(calls).toBeGreaterThan(0)
})
