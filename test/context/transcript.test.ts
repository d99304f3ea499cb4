import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { enrich } from '../../src/context/enrich.ts'
import { readTranscript } from '../../src/context/transcript.ts'
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
