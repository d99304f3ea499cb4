import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { enrich } from '../../src/context/enrich.ts'
import { branchOf } from '../../src/context/project.ts'
import { readProjectFile } from '../../src/context/project-rules.ts'
import {
  isBelow,
  readHead,
  readTail,
  readTranscript,
  sizeOf,
} from '../../src/context/transcript.ts'
import type { AgentEvent } from '../../src/event/event.ts'
import { makeHome, transcriptText } from './_world.ts'

const ended = Date.parse('2026-11-20T09:14:00.060Z')
const prompted = Date.parse('2026-11-20T09:10:00.000Z')

async function read(text: string, at = ended) {
  const { root, path } = makeHome()
  writeFileSync(path, text)
  return readTranscript(path, [root], at)
}

describe('a transcript', () => {
  it('that is long is read from its end, and once more from further back for the prompt', async () => {
    const lines = transcriptText('droid').split('\n')
    const big = JSON.stringify({
      type: 'message',
      timestamp: '2026-11-20T09:12:00.000Z',
      message: { role: 'user', content: [{ type: 'tool_result', content: 'x'.repeat(100_000) }] },
    })
    const long = [...lines.slice(0, 8), ...Array(10).fill(big), ...lines.slice(8)].join('\n')
    expect(await read(long)).toMatchObject({ promptedAt: prompted })
    const longer = [...lines.slice(0, 8), ...Array(60).fill(big), ...lines.slice(8)].join('\n')
    expect(await read(longer)).toMatchObject({
      lastMessage: 'It is fixed.',
      promptedAt: undefined,
    })
  })

  it.each([
    '',
    '\n\n',
    'null\n[]\n7\n"x"\n',
    '{"message":null}\n{"message":{"role":"user","content":7}}',
  ])('with meaningless content (%j) gives no facts', async (text) => {
    expect(await read(text)).toMatchObject({ lastMessage: '', promptedAt: undefined })
  })

  it('is not read outside of the folder of the client, through a link, or if it is not a file', async () => {
    const { home, root, path } = makeHome()
    const outside = join(home, 'outside.jsonl')
    writeFileSync(outside, transcriptText('droid'))
    symlinkSync(outside, join(root, 'link.jsonl'))
    symlinkSync(home, join(root, 'folder'))
    mkdirSync(join(root, 'dir.jsonl'))
    execFileSync('mkfifo', [join(root, 'pipe.jsonl')])
    const paths = [
      outside,
      join(root, '../../outside.jsonl'),
      join(root, 'link.jsonl'),
      join(root, 'folder/outside.jsonl'),
      join(root, 'dir.jsonl'),
      join(root, 'pipe.jsonl'),
      'relative.jsonl',
      '/dev/zero',
      `${path}\0`,
      root,
    ]
    for (const one of paths) {
      const facts = await readTranscript(one, [root], ended)
      expect(facts, one).toMatchObject({
        lastMessage: '',
        promptedAt: undefined,
        isReadable: false,
      })
    }
  })
})

describe('a finished turn', () => {
  function makeStop() {
    const { home, path } = makeHome()
    vi.stubEnv('HOME', home)
    onTestFinished(() => void vi.unstubAllEnvs())
    const at = Date.now()
    const event = {
      kind: 'done',
      client: 'droid',
      cwd: home,
      transcriptPath: path,
      at,
      lastMessage: '',
    }
    const line = (role: string, text: string, ms: number) =>
      `${JSON.stringify({ timestamp: new Date(at - ms).toISOString(), message: { role, content: text } })}\n`
    const end = `${JSON.stringify({ type: 'agent_turn_outcome', reason: 'completed' })}\n`
    const around = { now: Date.now }
    return { event: event as AgentEvent, path, line, end, around }
  }

  it('gets its text and duration from the transcript', async () => {
    const { event, path, line, end, around } = makeStop()
    writeFileSync(path, line('user', 'go', 240_000) + line('assistant', 'gone', 10) + end)
    expect(await enrich(event, around)).toMatchObject({
      lastMessage: 'gone',
      durationMs: 240_000,
      project: 'home',
    })
  })

  it('waits for a transcript that is written late', async () => {
    const { event, path, line, end, around } = makeStop()
    writeFileSync(
      path,
      line('user', 'before', 99_000) +
        line('assistant', 'old answer', 98_000) +
        line('user', 'go', 5000),
    )
    let looks = 0
    const now = () => {
      looks += 1
      if (looks === 3) appendFileSync(path, line('assistant', 'new answer', 10) + end)
      return event.at + looks * 50
    }
    const facts = await enrich(event, { ...around, now })
    expect(facts).toMatchObject({ lastMessage: 'new answer', durationMs: 5000 })
  })

  it('waits less than two seconds, and not at all if it ended long ago', async () => {
    const { event, path, line, end, around } = makeStop()
    writeFileSync(path, line('assistant', 'old answer', 98_000) + line('user', 'go', 5000) + end)
    let looks = 0
    const passing = () => {
      looks += 1
      return event.at + looks * 50
    }
    expect((await enrich(event, { ...around, now: passing })).lastMessage).toBe('')
    expect(looks * 50).toBeLessThan(2000)
    looks = 0
    const now = () => {
      looks += 1
      return event.at + 10_000
    }
    await enrich(event, { ...around, now })
    expect(looks).toBe(1)
  })

  it('keeps the text and duration of its payload', async () => {
    const { event, path, line, end, around } = makeStop()
    writeFileSync(path, line('user', 'go', 5000) + line('assistant', 'from the file', 10) + end)
    const received = { ...event, lastMessage: 'from the payload', durationMs: 7 }
    expect(await enrich(received, around)).toMatchObject({
      lastMessage: 'from the payload',
      durationMs: 7,
    })
  })
})

const gone = { text: '', isRefused: false }

const refused = { text: '', isRefused: true }

it('letter case does not matter for whether a path is below a folder, but only on Windows', () => {
  const root = 'C:\\Users\\me\\.claude\\projects'
  expect(isBelow('c:\\users\\Me\\.claude\\projects\\x.jsonl', [root], 'win32')).toBe(true)
  expect(isBelow('c:\\users\\me\\.claude\\projects2\\x.jsonl', [root], 'win32')).toBe(false)
  expect(isBelow('/me/.claude/x', ['/me/.Claude'], 'linux')).toBe(false)
})

describe('a file of the client', () => {
  it('is read from its start, from its end, or not at all', async () => {
    const { root, path } = makeHome()
    writeFileSync(path, 'first\nsecond\nthird\n')
    expect(await readHead(path, [root], 9)).toBe('first\nsec')
    expect(await readTail(path, [root], 9)).toMatchObject({ text: 'third\n', isAll: false })
    expect(await readTail(path, [root], 100)).toMatchObject({ isAll: true, isRefused: false })
    expect(await sizeOf(path, [root])).toBe(19)
  })

  it('may have a path that begins with ~', async () => {
    const { home, path } = makeHome()
    vi.stubEnv('HOME', home)
    onTestFinished(() => void vi.unstubAllEnvs())
    writeFileSync(path, 'text')
    expect(await sizeOf('~/.factory/sessions/s1.jsonl', ['~/.factory/sessions'])).toBe(4)
  })

  it('that does not exist yet is not refused, unlike one outside of the folder', async () => {
    const { home, root, path } = makeHome()
    writeFileSync(join(home, 'outside'), 'text')
    symlinkSync(join(home, 'outside'), join(root, 'link'))
    mkdirSync(join(root, 'folder'))
    mkdirSync(`${root}-2`)
    writeFileSync(join(`${root}-2`, 'x'), 'text')
    const copy = join(home, 'copy', root)
    mkdirSync(copy, { recursive: true })
    writeFileSync(join(copy, 'x'), 'text')
    expect(await readTail(path, [root], 9)).toMatchObject(gone)
    // droid has two folders, of which usually only one exists.
    const roots = [root, join(home, '.factory/projects')]
    const names = ['link', 'folder', '../../outside', '../sessions-2/x', '']
    for (const other of [...names.map((name) => `${root}/${name}`), join(copy, 'x')]) {
      expect(await readTail(other, roots, 9), other).toMatchObject(refused)
      expect(await sizeOf(other, roots), other).toBeUndefined()
    }
    expect(await sizeOf('relative', [root])).toBeUndefined()
  })
})

describe('a file of another user in the folder of the client', () => {
  it.skipIf(process.getuid?.() !== 0)('is not read', async () => {
    const { root, path } = makeHome()
    writeFileSync(path, 'text')
    chownSync(path, 54_321, 54_321)
    expect(await readTail(path, [root], 9)).toMatchObject(refused)
    expect(await sizeOf(path, [root])).toBeUndefined()
  })
})

describe.runIf(existsSync('/proc/self/fd'))('files whose paths come from payloads', () => {
  it('are all closed after reading', async () => {
    const { home, root, path } = makeHome()
    const repository = join(home, 'shop')
    mkdirSync(join(repository, '.git'), { recursive: true })
    const files = [path, join(repository, '.git/HEAD'), join(repository, '.hookbell.json')]
    const readAll = async () => {
      await readTail(path, [root], 9)
      await readHead(path, [root], 9)
      await sizeOf(path, [root])
      await branchOf(repository)
      await readProjectFile(repository, home)
    }
    for (const file of files) execFileSync('mkfifo', [file])
    await readAll()
    expect(openBelow(home)).toEqual([])
    for (const file of files) execFileSync('rm', [file])
    for (const file of files) writeFileSync(file, '{}')
    await readAll()
    expect(openBelow(home)).toEqual([])
  })
})

/** The files below a folder that this process has open. */
function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return ''
      }
    })
    .filter((path) => path.startsWith(folder))
}
