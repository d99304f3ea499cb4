import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { quoteIfNeeded } from '../../src/cli/how-to-call.ts'
import { readCodeCache, writeCodeCache } from '../../src/fs/code-cache.ts'
import { packageRoot } from '../../src/package-root.ts'
import { makeFolder } from '../support/folder.ts'
import { hasPython, readThroughNonBlockingPipe } from '../support/non-blocking-pipe.ts'
import { userAlone } from '../support/user-alone.ts'

describe('the code cache of a command', () => {
  let folder: string
  let text: string
  beforeEach(async () => {
    folder = await makeFolder()
    for (const name of ['dist', 'templates']) mkdirSync(join(folder, name))
    const typed = quoteIfNeeded(join(realpathSync(folder), 'bin/hookbell'))
    text = `No events yet. See whether hookbell is registered: node ${typed} status\n`
    for (const name of ['cli.cjs', 'cli-code.cjs', 'commands.cjs', 'api-commands.cjs']) {
      cpSync(join(packageRoot(), 'dist', name), join(folder, 'dist', name))
    }
    cpSync(join(packageRoot(), 'bin'), join(folder, 'bin'), { recursive: true })
  })

  const program = () => [process.execPath, join(folder, 'bin/hookbell')]
  const run = (...words: string[]) => start([...program(), ...words])
  const log = () => run('log')

  function start([file = '', ...words]: string[], user: { uid?: number; gid?: number } = {}) {
    const env = { PATH: process.env.PATH, HOME: folder, HOOKBELL_STATE_DIR: join(folder, 'state') }
    const { stdout, stderr } = spawnSync(file, words, { env, ...user, encoding: 'utf8' })
    return stdout + stderr
  }

  const cache = (name: string) => join(folder, 'dist', `${name}.cache`)
  const source = (name: string) => readFileSync(join(folder, 'dist', `${name}.cjs`))
  const names = ['cli-code', 'commands']

  it('is written on the first start and reused on the next one', () => {
    expect(log()).toBe(text)
    const before = names.map((name) => statSync(cache(name)).ino)
    for (const name of names) {
      expect(readCodeCache(cache(name), source(name))?.length).toBeGreaterThan(5000)
    }
    expect(log()).toBe(text)
    expect(names.map((name) => statSync(cache(name)).ino)).toEqual(before)
  })

  it.each([
    ['commands', 'help', 'mute', 'hookbell mute'],
    ['api-commands', 'help', 'api', 'hookbell api'],
  ])('is one file for everything in %s', (name, ...words) => {
    const text = words.pop() ?? ''
    const answers = [1, 2].map(() => run(...words))
    expect(answers[0]).toContain(text)
    expect(answers[1]).toBe(answers[0])
    expect(readCodeCache(cache(name), source(name))?.length).toBeGreaterThan(50_000)
  })

  it('is renewed after an hour', () => {
    log()
    const before = statSync(cache('commands')).ino
    const twoHoursAgo = Date.now() / 1000 - 2 * 3600
    utimesSync(cache('commands'), twoHoursAgo, twoHoursAgo)
    expect(log()).toBe(text)
    expect(statSync(cache('commands')).ino).not.toBe(before)
  })

  it.each([
    ['damaged', () => writeFileSync(cache('commands'), 'nonsense')],
    [
      'of another source',
      () => writeCodeCache(cache('commands'), Buffer.from('1'), () => Buffer.from('2')),
    ],
    [
      'refused by V8',
      () => writeCodeCache(cache('commands'), source('commands'), () => Buffer.from('2')),
    ],
  ])('is replaced when it is %s', (_, spoil) => {
    spoil()
    expect(log()).toBe(text)
    expect(readCodeCache(cache('commands'), source('commands'))?.length).toBeGreaterThan(5000)
  })

  it('may fail to be written without failing the command', () => {
    for (const name of names) mkdirSync(`${cache(name)}.new`)
    expect(log()).toBe(text)
  })

  it.skipIf(process.platform === 'win32')('is not left incomplete on a full disk', () => {
    log()
    const blocks = Math.floor((statSync(cache('commands')).size - 100) / 512)
    rmSync(cache('commands'))
    // Simulates a full disk: the write that crosses the size limit is cut short, and later writes fail.
    const limited = ['sh', '-c', `ulimit -f ${blocks}; exec "$0" "$@"`]
    expect(start([...limited, ...program(), 'log'])).toBe(text)
    expect(
      readdirSync(join(folder, 'dist')).filter((name) => /^commands\.cache/.test(name)),
    ).toEqual([])
  })

  it.runIf(process.getuid?.() === 0 && userAlone !== undefined)(
    'is written to a folder of a group that has only this user',
    () => {
      spawnSync('chown', ['-R', `${userAlone}:${userAlone}`, folder])
      chmodSync(join(folder, 'dist'), 0o775)
      expect(start([...program(), 'log'], { uid: userAlone, gid: userAlone })).toBe(text)
      expect(statSync(cache('commands')).uid).toBe(userAlone)
    },
  )

  it('is not written to a folder that others can change', () => {
    chmodSync(join(folder, 'dist'), 0o777)
    expect(log()).toBe(text)
    expect(statSync(cache('commands'), { throwIfNoEntry: false })).toBeUndefined()
  })
})

it.runIf(hasPython)(
  'a command ends only after all its output is written to a slow pipe',
  async () => {
    const folder = await makeFolder()
    const env = { PATH: process.env.PATH, HOME: folder, HOOKBELL_STATE_DIR: folder }
    const facts = { event: 'Stop', kind: 'done', client: 'droid', sessionId: 's', project: 'p' }
    const entries = Array.from({ length: 1000 }, (_, at) => {
      return JSON.stringify({
        at,
        id: `${at}`,
        type: 'accepted',
        acceptedAt: at,
        ...facts,
        title: 't',
      })
    })
    writeFileSync(join(folder, 'journal.jsonl'), `${entries.join('\n')}\n`)
    const words = ['log', '--json', '--limit', '1000']
    const command = [process.execPath, join(packageRoot(), 'bin/hookbell'), ...words]
    const { status, text } = await readThroughNonBlockingPipe(command, env)
    expect(status).toBe(0)
    expect(JSON.parse(text)).toHaveLength(1000)
  },
)
