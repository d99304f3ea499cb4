import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  fileFromPath,
  imageFromPath,
  PartialFailureError,
  throwIfAnyFailed,
} from '../../src/api/index.ts'
import { errorOf, json, useFaultServer } from './_support.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookbell-api-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(20)])
const webp = Buffer.from('RIFF\n\0\0\0WEBPVP8 ')

describe('imageFromPath', () => {
  it.each([
    ['a.png', png, 'image/png'],
    ['b.PNG', png, 'image/png'],
    ['c.jpg', Buffer.from('ffd8ffe000', 'hex'), 'image/jpeg'],
    ['d.gif', Buffer.from('GIF89a...'), 'image/gif'],
    ['e.webp', webp, 'image/webp'],
  ])('reads %s', async (name, content, mediaType) => {
    const image = await imageFromPath(write(name, content))
    expect(image).toEqual({ type: 'base64', mediaType, data: content.toString('base64') })
  })

  it.each([
    ['another type', write('x.bmp', 'BM'), 'must end in'],
    ['a text file named .png', write('x.png', 'text'), 'not what its name says'],
    ['an empty file', write('empty.png', ''), 'not what its name says'],
    ['a folder', join(folder), 'must end in'],
    ['a missing file', join(folder, 'gone.png'), 'cannot be read: ENOENT'],
  ])('rejects %s', async (_, path, problem) => {
    const error = await errorOf(imageFromPath(path))
    expect(error).toMatchObject({ kind: 'validation', issues: [{ field: 'path' }] })
    expect(error.message).toContain(problem)
  })

  it('rejects a file above maxBytes', async () => {
    const path = write('large.png', png)
    const error = await errorOf(imageFromPath(path, { maxBytes: 27 }))
    expect(error.message).toContain('has 28 bytes, more than 27')
    expect(await imageFromPath(path, { maxBytes: 28 })).toHaveProperty('data')
  })

  it('does not block on a named pipe', async () => {
    const path = join(folder, 'pipe.png')
    execFileSync('mkfifo', [path])
    expect((await errorOf(imageFromPath(path))).message).toContain('is not a file')
  })
})

describe('fileFromPath', () => {
  it('reads a PDF and a text file', async () => {
    expect(await fileFromPath(write('a.pdf', '%PDF-1.7'))).toEqual({
      type: 'base64',
      mediaType: 'application/pdf',
      name: 'a.pdf',
      data: Buffer.from('%PDF-1.7').toString('base64'),
    })
    expect(await fileFromPath(write('b.md', '# hi'))).toMatchObject({ mediaType: 'text/markdown' })
  })

  it.each(['main.ts', 'fix.patch', 'Dockerfile', '.env.example', 'a.unknown'])(
    'reads the text file %s, whatever its ending',
    async (name) => {
      const file = await fileFromPath(write(name, 'größer\n'))
      const data = Buffer.from('größer\n').toString('base64')
      expect(file).toEqual({ type: 'base64', mediaType: 'text/plain', name, data })
    },
  )

  it.each([
    ['an invalid PDF', write('b.pdf', 'x'), 'not what its name says'],
    ['an image', write('f.png', png), 'neither PDF nor text; images: imageFromPath'],
    ['a program', write('b.exe', Buffer.from('MZ\0\0')), 'neither PDF nor text'],
    [
      'text in another encoding',
      write('latin', Buffer.from('ä', 'latin1')),
      'neither PDF nor text',
    ],
    ['a folder', folder, 'is not a file'],
  ])('rejects %s', async (_, path, problem) => {
    const error = await errorOf(fileFromPath(path))
    expect(error).toMatchObject({ kind: 'validation', issues: [{ field: 'path' }] })
    expect(error.message).toContain(problem)
  })

  it('returns a file that can be sent with a message', async () => {
    const file = await fileFromPath(write('c.txt', 'hello'))
    faults.play([{ body: json({ messageId: 'm', status: 'idle' }) }])
    const input = { sessionId: 's', text: 'read this', files: [file] }
    await faults.makeClient().sessions.messages.add(input)
    expect(JSON.parse(faults.requests[0]?.body ?? '')).toEqual({ text: 'read this', files: [file] })
  })
})

const faults = useFaultServer('https')

describe('throwIfAnyFailed', () => {
  const updated = [{ email: 'a@x', limit: 1 }]
  const users = [{ email: 'a@x', limit: 1 }]

  it('returns the response if every limit was set', async () => {
    faults.play([{ body: json({ updated, errors: [] }) }])
    const answer = await faults.makeClient().organization.limits.setUsers({ users })
    expect(throwIfAnyFailed(answer)).toBe(answer)
  })

  it('throws an error with the limits that were set and those that were not', async () => {
    const errors = [{ email: 'b@x', error: 'no such user' }]
    faults.play([{ body: json({ updated, errors }) }])
    const answer = await faults.makeClient().organization.limits.setUsers({ users })
    const error = await errorOf(Promise.resolve(answer).then(throwIfAnyFailed))
    expect(error).toBeInstanceOf(PartialFailureError)
    expect(error).toMatchObject({ kind: 'partial', updated, errors })
    expect(error.message).toBe('1 of 2 limits not set: b@x: no such user')
  })

  it.each([
    [{ errors: [{ email: 'b@x', error: 'unknown' }] }, '1 of 1 limits not set: b@x: unknown'],
    [{ updated: null, errors: [null, 'all'] }, '2 of 2 limits not set: null; all'],
  ])('throws the same error for a response of another shape, %j', async (response, message) => {
    faults.play([{ body: json(response) }])
    const answer = await faults.makeClient().organization.limits.setUsers({ users })
    const error = await errorOf(Promise.resolve(answer).then(throwIfAnyFailed))
    expect(error).toMatchObject({ kind: 'partial', message, updated: [] })
  })
})
