import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/api/index.ts'
import { startEmulator } from '../../src/emulator/index.ts'
import { errorOf, json, useFaultServer } from './_support.ts'

async function start() {
  const emulator = await startEmulator()
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-rotate-'))
  onTestFinished(async () => {
    await emulator.close()
    rmSync(folder, { recursive: true })
  })
  const { serviceAccountId, keyId } = emulator
  return { emulator, file: join(folder, 'key'), input: { serviceAccountId, keyId } }
}

describe('rotateTo', () => {
  it('writes the new key to a file for its owner alone, and tries it', async () => {
    const { emulator, file, input } = await start()
    const { keys } = createClient(emulator.clientOptions).serviceAccounts
    const rotated = await keys.rotateTo(file, input)
    const value = readFileSync(file, 'utf8').trim()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(value.endsWith(rotated.fingerprint)).toBe(true)
    expect(JSON.stringify(rotated)).not.toContain(value)
    expect(emulator.requests().map(({ endpoint }) => endpoint)).toEqual([
      'serviceAccounts.keys.rotate',
      'organization.limits.getGlobal',
    ])
  })

  it('makes no request for a file that cannot be written', async () => {
    const { emulator, file, input } = await start()
    const { keys } = createClient(emulator.clientOptions).serviceAccounts
    const error = await errorOf(keys.rotateTo(join(file, 'none'), input))
    expect(error).toMatchObject({ kind: 'validation', issues: [{ field: 'file' }] })
    expect(emulator.requests()).toEqual([])
  })

  it.each(['', undefined, 5])('makes no request for %j as the name of a file', async (name) => {
    const { emulator, input } = await start()
    const { keys } = createClient(emulator.clientOptions).serviceAccounts
    const error = await errorOf(keys.rotateTo(name as string, input))
    expect(error).toMatchObject({ kind: 'validation', issues: [{ field: 'file' }] })
    expect(emulator.requests()).toEqual([])
  })

  it('says where the new key is if the file cannot be put in its place any more', async () => {
    const { emulator, file, input } = await start()
    const afterResponse = () => void mkdirSync(file)
    const { keys } = createClient({ ...emulator.clientOptions, afterResponse }).serviceAccounts
    const error = await errorOf(keys.rotateTo(file, input))
    expect(error.hint).toBe(`the new key is in ${file}.new`)
    expect(readFileSync(`${file}.new`, 'utf8')).toMatch(/^fk-emulator-\S+\n$/)
  })

  it('says that the new key is lost if the response is lost', async () => {
    const { emulator, file, input } = await start()
    // biome-ignore lint/suspicious/noThenProperty: never a function, so the object is not a thenable
    emulator.faults.add({ endpoint: 'serviceAccounts.keys.rotate', then: { cut: 'in-body' } })
    const { keys } = createClient(emulator.clientOptions).serviceAccounts
    const error = await errorOf(keys.rotateTo(file, { ...input, gracePeriodMinutes: 10 }))
    expect(error).toMatchObject({ kind: 'network', outcome: 'unknown' })
    expect(error.hint).toContain('make another key')
    expect(readdirSync(dirname(file))).toEqual([])
  })

  describe('keeps a response of another shape, and the old key', () => {
    const faults = useFaultServer('https')
    const moved = { key: { value: 'fk-moved' } }

    it.each([
      ['without apiKey', moved, false],
      ['without apiKey, while strict is set', moved, true],
      ['without a value', { apiKey: { id: 'k', name: 'ci' } }, false],
      ['with an empty key', { apiKey: { id: 'k', value: ' ' } }, false],
    ])('%s', async (_, body, strict) => {
      const { file, input } = await start()
      writeFileSync(file, 'the old key\n')
      faults.play([{ body: json(body) }])
      const { keys } = faults.makeClient({ strict }).serviceAccounts
      const error = await errorOf(keys.rotateTo(file, input))
      expect(error).toMatchObject({ kind: 'decode', hint: expect.stringContaining(`${file}.new`) })
      expect(JSON.stringify(error)).not.toContain('fk-moved')
      expect(JSON.parse(readFileSync(`${file}.new`, 'utf8'))).toEqual(body)
      expect(readFileSync(file, 'utf8')).toBe('the old key\n')
      expect(faults.requests).toHaveLength(1)
    })
  })
})
