import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { AnswerWatch, type AskedWhere } from '../../src/context/answers.ts'
import { pathGate } from '../../src/fs/path-gate.ts'
import { makeHome, transcriptText } from './_world.ts'

const at = Date.parse('2026-11-20T09:13:00.050Z')
/** Before the session began. */
const before = at - 3600_000

/** Whether a first look shows an answer. */
async function isAnswered(asked: AskedWhere): Promise<boolean> {
  return (await new AnswerWatch().look(asked)).answeredAt !== undefined
}

/** A droid session in which a command waits for permission. */
function makeSession() {
  const { home } = makeHome()
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const path = join(home, '.factory/sessions/-srv-app/s1.jsonl')
  mkdirSync(join(path, '..'), { recursive: true })
  const lines = transcriptText('droid').split('\n')
  const end = lines.findIndex((line) => line.includes('09:13:40'))
  writeFileSync(path, `${lines.slice(0, end).join('\n')}\n`)
  const goOn = () => appendFileSync(path, lines.slice(end).join('\n'))
  return {
    path,
    goOn,
    asked: { id: 'e1', client: 'droid', at, toolUseId: '', transcriptPath: path },
  }
}

describe('a question', () => {
  it('counts as answered once the transcript continues', async () => {
    const { asked, goOn } = makeSession()
    expect(await isAnswered(asked)).toBe(false)
    goOn()
    expect(await isAnswered(asked)).toBe(true)
    expect(await isAnswered({ ...asked, transcriptPath: '' })).toBe(false)
  })

  it('stays open while only another call of the same message has ended', async () => {
    const { asked, path, goOn } = makeSession()
    const lines = transcriptText('droid').split('\n')
    const [call = '', result = ''] = lines.filter((line) => line.includes('"t3"'))
    const other = (line: string) => `${line.replace('"t3"', '"other"')}\n`
    const before = lines.slice(0, lines.indexOf(call)).join('\n')
    writeFileSync(path, `${before}\n${other(call)}${call}\n${other(result)}`)
    expect(await isAnswered({ ...asked, toolUseId: 'other' })).toBe(true)
    expect(await isAnswered(asked)).toBe(false)
    goOn()
    expect(await isAnswered(asked)).toBe(true)
  })

  it('stays open although older lines are from the future, after the clock was set back', async () => {
    const { asked, path } = makeSession()
    const text = readFileSync(path, 'utf8')
    const now = Date.now()
    const linesAt = (ms: number) =>
      text.replaceAll(/"timestamp":"[^"]*"/g, `"timestamp":"${new Date(ms).toISOString()}"`)
    writeFileSync(path, linesAt(now + 3600_000))
    expect(await isAnswered({ ...asked, at: now - 1 })).toBe(false)
    appendFileSync(path, linesAt(now))
    expect(await isAnswered({ ...asked, at: now - 1 })).toBe(true)
  })

  it('is not searched for outside the folders of its client', async () => {
    const { asked, goOn } = makeSession()
    goOn()
    expect(await isAnswered({ ...asked, client: 'claude' })).toBe(false)
  })
})

describe('AnswerWatch', () => {
  it('detects an answer when it arrives, and when that was', async () => {
    const { asked, goOn } = makeSession()
    const watch = new AnswerWatch()
    expect(await watch.look(asked)).toEqual({ isReadable: true })
    goOn()
    expect(await watch.look(asked)).toEqual({
      ...{ isReadable: true, answeredAt: Date.parse('2026-11-20T09:13:40.000Z') },
    })
  })

  it('reads a transcript again only when it has grown', async () => {
    const { asked, path, goOn } = makeSession()
    const watch = new AnswerWatch()
    expect(await watch.look(asked)).toEqual({ isReadable: true })
    expect(await watch.look({ ...asked, at: before })).toEqual({ isReadable: true })
    appendFileSync(path, '\n')
    expect((await watch.look({ ...asked, at: before })).answeredAt).toBeGreaterThan(before)
    goOn()
  })

  it('reads a transcript again that took too long to read', async () => {
    const { asked, goOn } = makeSession()
    goOn()
    let calls = 0
    const busy = vi.spyOn(pathGate, 'run').mockImplementation(async (work, otherwise) => {
      calls += 1
      // The first call reads the size. The second one, which reads the text, times out.
      return calls === 2 ? otherwise : await work()
    })
    onTestFinished(() => void busy.mockRestore())
    const watch = new AnswerWatch()
    expect(await watch.look(asked)).toEqual({ isReadable: false })
    expect((await watch.look(asked)).answeredAt).toBeGreaterThan(at)
  })

  it('tells that it cannot read a missing transcript', async () => {
    const { asked, path } = makeSession()
    const watch = new AnswerWatch()
    for (const transcriptPath of [`${path}.gone`, ''])
      expect(await watch.look({ ...asked, transcriptPath })).toEqual({ isReadable: false })
  })
})
