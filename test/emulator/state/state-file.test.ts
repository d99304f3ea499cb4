import { spawnSync } from 'node:child_process'
import {
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EmulatorError, startEmulator } from '../../../src/emulator/index.ts'
import { makeFolder } from '../../support/folder.ts'
import { MINUTE, startTestEmulator, type TestEmulator } from '../_support.ts'

const REPOSITORIES = '/api/v0/automations/ci/repositories'

async function makeFile() {
  const folder = await makeFolder()
  return { folder, stateFile: join(folder, 'state.json') }
}

function deadProcess() {
  return spawnSync(process.execPath, ['-e', '0']).pid
}

async function rotate(emulator: TestEmulator, body: object) {
  const { serviceAccountId, keyId } = emulator
  const path = `/api/v0/service-accounts/${serviceAccountId}/api-keys/${keyId}/rotate`
  return (await emulator.post(path, body)).body.apiKey
}

async function statusWith(emulator: TestEmulator, key: string) {
  return (await emulator.get(REPOSITORIES, { key })).status
}

describe('the state file', () => {
  it('restores keys, grace periods, deletions and history', async () => {
    const { stateFile } = await makeFile()
    const first = await startTestEmulator({ stateFile })
    const key = await rotate(first, { gracePeriodMinutes: 5 })
    await first.delete(`/api/v0/computers/${first.computerId}`)
    await first.put('/api/v0/organization/usage/limits/global', { limit: 3_000_000 })
    const before = first.state()
    await first.close()

    const second = await startTestEmulator({ stateFile })
    expect(second.state()).toEqual(before)
    expect(await statusWith(second, key.value)).toBe(200)
    expect(await statusWith(second, first.serviceAccountKey)).toBe(200)
    expect((await second.get(`/api/v0/computers/${first.computerId}`)).status).toBe(404)
    second.clock.advance(5 * MINUTE)
    expect(await statusWith(second, first.serviceAccountKey)).toBe(401)
    await second.close()

    const third = await startTestEmulator({ stateFile })
    expect(await statusWith(third, first.serviceAccountKey)).toBe(401)
    expect(await statusWith(third, key.value)).toBe(200)
  })

  it('makes a restarted emulator offer a key and a computer that still exist', async () => {
    const { stateFile } = await makeFile()
    const first = await startTestEmulator({ stateFile })
    await rotate(first, {})
    await first.delete(`/api/v0/computers/${first.computerId}`)
    await first.close()
    const second = await startTestEmulator({ stateFile })
    expect(second.keyId).not.toBe(first.keyId)
    expect(await statusWith(second, second.serviceAccountKey)).toBe(200)
    expect(second.computerId).not.toBe(first.computerId)
    expect((await second.get(`/api/v0/computers/${second.computerId}`)).status).toBe(200)
  })

  it('is never written through a planted symbolic link', async () => {
    const { folder, stateFile } = await makeFile()
    const victim = join(folder, 'victim')
    await writeFile(victim, 'untouched')
    for (const name of [`${stateFile}.${process.pid}`, `${stateFile}.${process.pid}.tmp`]) {
      await symlink(victim, name)
    }
    const emulator = await startTestEmulator({ stateFile })
    await emulator.post('/api/v0/sessions', { computerId: emulator.computerId })
    await emulator.close()
    expect(await readFile(victim, 'utf8')).toBe('untouched')
    expect((await lstat(stateFile)).isFile()).toBe(true)
  })

  it('may be a symbolic link: its target is written, and locked', async () => {
    const { folder, stateFile } = await makeFile()
    const target = join(folder, 'kept', 'target.json')
    await mkdir(join(folder, 'kept'))
    const first = await startTestEmulator({ stateFile: target })
    await first.close()
    await symlink(join('kept', 'target.json'), stateFile)
    const second = await startTestEmulator({ stateFile })
    await second.post('/api/v0/sessions', { computerId: second.computerId })
    await expect(startEmulator({ stateFile: target })).rejects.toThrow('in use')
    const before = second.state()
    await second.close()
    expect((await lstat(stateFile)).isSymbolicLink()).toBe(true)
    const third = await startTestEmulator({ stateFile: target })
    expect(third.state()).toEqual(before)
  })

  it('is rejected when it is a symbolic link to nothing', async () => {
    const { folder, stateFile } = await makeFile()
    await symlink(join(folder, 'none.json'), stateFile)
    const refusal = await startEmulator({ stateFile }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(EmulatorError)
    expect(refusal).toMatchObject({
      message: `state file "${stateFile}": a link to nothing`,
      hint: 'Repair the link, or remove it.',
    })
    expect((await lstat(stateFile)).isSymbolicLink()).toBe(true)
  })

  it.runIf(process.getuid?.() === 0)(
    'is rejected when it is a symbolic link of another user',
    async () => {
      const { folder, stateFile } = await makeFile()
      await symlink(join(folder, 'else.json'), stateFile)
      await lchown(stateFile, 65_533, 65_533)
      await expect(startTestEmulator({ stateFile })).rejects.toThrow('a link of another user')
    },
  )

  it('contains every change before the response is sent', async () => {
    const { folder, stateFile } = await makeFile()
    const emulator = await startTestEmulator({ stateFile })
    const { body } = await emulator.post('/api/v0/sessions', { computerId: emulator.computerId })
    expect(await readFile(stateFile, 'utf8')).toContain(`"${body.sessionId}"`)
    await emulator.post(`/api/v0/sessions/${body.sessionId}/messages`, { text: 'kept' })
    expect(await readFile(stateFile, 'utf8')).toContain('"kept"')
    expect(await readdir(folder)).toEqual(['state.json', 'state.json.lock'])
  })

  it('lets the agent continue after a restart', async () => {
    const { stateFile } = await makeFile()
    const first = await startTestEmulator({ stateFile })
    const path = `/api/v0/sessions/${first.sessionId}/messages`
    await first.post(path, { text: 'hello' })
    await first.close()
    const second = await startTestEmulator({ stateFile })
    second.clock.advance(MINUTE)
    const { messages } = (await second.get(path)).body
    expect(messages.at(-1).content[0].text).toBe('Done: hello')
  })

  it('is readable only by its owner, and is not written by a read request', async () => {
    const { stateFile } = await makeFile()
    const emulator = await startTestEmulator({ stateFile })
    const { mode, ino } = await stat(stateFile)
    if (process.platform !== 'win32') expect(mode & 0o077).toBe(0)
    await emulator.get(REPOSITORIES)
    expect((await stat(stateFile)).ino).toBe(ino)
  })

  it('is reset with the emulator', async () => {
    const { stateFile } = await makeFile()
    const emulator = await startTestEmulator({ stateFile })
    const fresh = await readFile(stateFile, 'utf8')
    await emulator.delete(`/api/v0/computers/${emulator.computerId}`)
    expect(await readFile(stateFile, 'utf8')).not.toBe(fresh)
    emulator.reset()
    expect(await readFile(stateFile, 'utf8')).toBe(fresh)
  })

  it('is locked by one emulator at a time', async () => {
    const { folder, stateFile } = await makeFile()
    const first = await startTestEmulator({ stateFile })
    const refusal = await startEmulator({ stateFile }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(EmulatorError)
    expect(String(refusal)).toContain(`in use by the emulator of process ${process.pid}`)
    const again = relative(process.cwd(), stateFile)
    await expect(startEmulator({ stateFile: again })).rejects.toThrow('in use')
    await first.close()
    expect(await readdir(folder)).toEqual(['state.json'])
    await startTestEmulator({ stateFile })
  })

  it.each([
    ['a process that has ended', deadProcess, 'taken over'],
    ['an earlier process with the same ID', () => process.pid, 'taken over'],
    ['a running process', () => process.ppid, 'in use'],
    ['a process that is just writing it', () => '', 'in use'],
  ])('is taken over or refused depending on the lock of %s', async (_, holder, outcome) => {
    const { stateFile } = await makeFile()
    await writeFile(`${stateFile}.lock`, `${holder()}\n`)
    const starting = startEmulator({ stateFile }).then(async (emulator) => {
      await emulator.close()
      return 'taken over'
    })
    const said = await starting.catch((error: unknown) => String(Object(error).message))
    expect(said).toContain(outcome)
  })

  it('is unlocked when the start fails', async () => {
    const { folder, stateFile } = await makeFile()
    const { url } = await startTestEmulator()
    const port = Number(new URL(url).port)
    await expect(startEmulator({ stateFile, port })).rejects.toThrow('is in use')
    expect(await readdir(folder)).toEqual(['state.json'])
  })

  it.each([
    ['invalid JSON', '{"emulatorState":1,', 'not JSON'],
    ['no text', '', 'not JSON'],
    ['another version', '{"emulatorState":2,"state":{}}', 'emulatorState: '],
    ['a missing part', '{"emulatorState":1,"state":{"lastId":1}}', 'state.members: '],
  ])('is rejected and kept when it contains %s', async (_, text, message) => {
    const { stateFile } = await makeFile()
    await writeFile(stateFile, text)
    const refusal = await startEmulator({ stateFile }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(EmulatorError)
    expect(refusal).toMatchObject({
      message: expect.stringContaining(`state file "${stateFile}": `),
      hint: expect.stringContaining('left as it is'),
    })
    expect(String(refusal)).toContain(message)
    expect(await readFile(stateFile, 'utf8')).toBe(text)
  })

  it('makes requests fail with 500 when it cannot be written any more', async () => {
    const { folder, stateFile } = await makeFile()
    const emulator = await startTestEmulator({ stateFile })
    await rm(folder, { recursive: true })
    const path = '/api/v0/organization/usage/limits/global'
    const answers = [
      await emulator.put(path, { limit: 3_000_000 }),
      await emulator.post('/__emulator/clock', { advanceMs: 1 }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(500)
      expect(body.detail).toContain('cannot be written')
    }
  })

  it('is rejected when it cannot be written', async () => {
    const { folder } = await makeFile()
    const stateFile = join(folder, 'none', 'state.json')
    await expect(startEmulator({ stateFile })).rejects.toThrow('cannot be written')
  })
})
