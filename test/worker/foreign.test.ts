import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeWorld } from './_world.ts'

const event = 'hookbell-event 1\nclient: claude\n\n{"hook_event_name":"Stop"}'

const oddNames = [
  '.hidden',
  '-rf',
  '--help',
  'a b',
  'a\nb',
  'ünï',
  '😀',
  '~1',
  'x~',
  'x~y',
  'x~12345',
  '*',
  '?',
  "'",
  '"',
  '$HOME',
  '`id`',
  '%2e',
  'state.json',
  'x'.repeat(129),
  'y'.repeat(255),
  Buffer.from([0x66, 0xff, 0xfe]),
]

describe('a file in new/ that is not an event', () => {
  it.each(oddNames)('is set aside when its name is invalid: %j', async (name) => {
    const world = makeWorld()
    const path = Buffer.concat([Buffer.from(`${world.spool.new}/`), Buffer.from(name)])
    writeFileSync(path, event)
    const id = world.accept({ message: 'ours' })
    expect((await world.once()).faults).toEqual([])
    expect(readdirSync(world.spool.new)).toEqual([])
    expect(world.list('corrupt').length + readdirSync(world.spool.corrupt).length).toBeGreaterThan(
      0,
    )
    expect(world.lines()).toMatchObject([{ id }])
  })

  it('is set aside whatever its type, and is never opened in a way that blocks', async () => {
    const world = makeWorld()
    const at = (name: string) => join(world.spool.new, name)
    mkdirSync(at('folder'))
    writeFileSync(join(at('folder'), 'inside'), 'x')
    execFileSync('mkfifo', [at('pipe')])
    symlinkSync('/etc/passwd', at('link'))
    symlinkSync('/nowhere', at('dangling'))
    writeFileSync(join(world.folder, 'elsewhere'), event)
    symlinkSync(join(world.folder, 'elsewhere'), at('linked-event'))
    const server = createServer().listen(at('socket'))
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    writeFileSync(at('empty'), '')
    writeFileSync(at('noise'), Buffer.from([0, 255, 10, 10]))
    writeFileSync(at('headless'), '{"hook_event_name":"Stop"}')
    const id = world.accept({ message: 'ours' })
    expect((await world.once()).faults).toEqual([])
    expect(world.list('corrupt')).toHaveLength(9)
    expect(world.list('new')).toEqual([])
    expect(world.lines()).toMatchObject([{ id }])
  })

  it('is left in place for a newer version if it has a newer format', async () => {
    const world = makeWorld()
    const later = 'hookbell-event 2\nwhat: ever\n\n{}'
    writeFileSync(join(world.spool.new, 'later'), later)
    const id = world.accept({ message: 'ours' })
    await world.once()
    await world.untilIdle()
    expect(readdirSync(world.spool.new)).toEqual(['later'])
    expect(readFileSync(join(world.spool.new, 'later'), 'utf8')).toBe(later)
    expect(world.lines()).toMatchObject([{ id }])
  })
})

describe('an event with an invalid body', () => {
  it.each(['', ' \n'])('is suppressed if nothing came on stdin (%j)', async (body) => {
    const world = makeWorld()
    const id = world.acceptRaw(body)
    await world.once()
    const reason = 'nothing came on stdin'
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'suppressed', reason })
    expect([world.list('cur').length, world.dead()]).toEqual([0, []])
  })

  it.each([
    ['an array', '[1]', 'the event is not a JSON object but an array'],
    ['a number', '7', 'the event is not a JSON object but a number'],
    ['null', 'null', 'the event is not a JSON object but null'],
    ['not JSON', 'hello', 'the event is not JSON: invalid symbol at character 1'],
    ['nested deeply', '['.repeat(1e6), 'the event is not JSON: nested too deeply to be repaired'],
  ])('(%s) is dead with a reason, and its bytes are kept', async (_, body, reason) => {
    const world = makeWorld()
    const id = world.acceptRaw(body)
    await world.once()
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'dead', reason })
    expect(
      readFileSync(join(world.spool.dead, id), 'utf8').split('\n\n').slice(1).join('\n\n'),
    ).toBe(body)
  })
})
