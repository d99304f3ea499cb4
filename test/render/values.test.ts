import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import type { Clearance } from '../../src/delivery.ts'
import { notifiers } from '../../src/notifiers/index.ts'
import type { Formatted } from '../../src/render/markdown.ts'
import { type ValueName, Values, valueNames } from '../../src/render/values.ts'
import { makeAgentEvent } from '../support/payload.ts'

const docs = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8')

describe('the values of templates', () => {
  it('are exactly the documented ones', () => {
    const [, section = ''] = /## Templates\n([\s\S]*?)\n## /.exec(docs) ?? []
    const table = section.split('\n').filter((line) => line.startsWith('| `'))
    const documented = table.flatMap((line) =>
      [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    )
    expect(documented.sort()).toEqual([...valueNames].sort())
  })

  const did = { tools: {}, files: [], commands: [] }
  const many = Array.from({ length: 22 }, (_, index) => `file ${index}`)
  const makeValue = (name: ValueName, event: object, clearance: Clearance = 'full') => {
    const none = { project: 'shop', branch: '', title: '', firstPrompt: '', tokens: undefined, did }
    const found: EnrichedEvent = { ...makeAgentEvent(), ...none, ...event }
    return new Values(found, clearance, { secrets: [], host: 'desk' }).get(name)
  }

  it.each<[ValueName, object, string, Clearance?]>([
    [
      'did',
      { did: { ...did, tools: { Read: 2, Grep: 1 } }, durationMs: 60_000 },
      '3 tool calls, 1 min',
    ],
    ['did', { did: { ...did, files: ['a'], tools: { Edit: 3 } }, durationMs: undefined }, '1 file'],
    ['did', { durationMs: 60_000 }, ''],
    ['duration', { durationMs: undefined }, ''],
    ['duration', { durationMs: 14_900 }, '14 s'],
    ['duration', { durationMs: 59_900 }, '59 s'],
    ['duration', { durationMs: 119_900 }, '1 min'],
    ['duration', { durationMs: 250_000, waitingMs: 9000 }, '4 min'],
    [
      'duration',
      { durationMs: 250_000, waitingMs: 11_000 },
      '4 min (up to 11 s of it waiting for you)',
    ],
    [
      'duration',
      { durationMs: 7_260_000, waitingMs: 6_900_000 },
      '2 h 1 min (up to 1 h 55 min of it waiting for you)',
    ],
    ['subagent', { agent: 'Explore', agentId: 'a1' }, 'Sub-agent Explore'],
    ['subagent', { agent: 'Explore', agentId: 'a1' }, 'Sub-agent Explore', 'summary'],
    ['subagent', { agent: 'Explore', agentId: 'a1' }, '', 'minimal'],
    ['subagent', { agentId: 'a1' }, 'Sub-agent'],
    ['subagent', { parentSessionId: 's1' }, 'Sub-agent'],
    // The session itself was started as this agent.
    ['subagent', { agent: 'reviewer' }, ''],
    [
      'subagent',
      { agent: `--token=hunter22 \u001b[1m\n${'x'.repeat(99)}`, agentId: 'a1' },
      `Sub-agent --token=[redacted] ${'x'.repeat(40)}…`,
    ],
    ['tools', { did: { ...did, tools: { Edit: 3, Bash: 2 } } }, 'Edit 3\nBash 2'],
    ['files', { did: { ...did, files: many.slice(2) } }, many.slice(2).join('\n')],
    ['files', { did: { ...did, files: many } }, `${many.slice(0, 20).join('\n')}\nand 2 more`],
    [
      'commands',
      { did: { ...did, commands: ['PGPASSWORD=hunter22 psql\n\u001b[1m', 'ls'] } },
      'PGPASSWORD=[redacted] psql\nls',
    ],
    ['label', { title: 'Ship it', firstPrompt: 'First', prompt: 'Last' }, 'Ship it'],
    ['label', { firstPrompt: 'First', prompt: 'Last' }, 'First'],
    ['label', { prompt: 'Last' }, 'Last'],
    ['failed', { kind: 'subagent-done', message: 'no' }, 'yes'],
    ['failed', { kind: 'subagent-done', message: '' }, ''],
    ['failed', { kind: 'done', message: 'no' }, ''],
    ['reason', { reason: 'x' }, 'x', 'minimal'],
    ['reason', { reason: 'a'.repeat(40) }, 'a'.repeat(40), 'minimal'],
    ['reason', { reason: 'a'.repeat(41) }, '', 'minimal'],
    ['reason', { reason: 'said the agent' }, '', 'minimal'],
    ['reason', { reason: 'said the agent' }, 'said the agent', 'summary'],
    ['prompt', { prompt: '  padded  ' }, 'padded'],
  ])('have the expected text: %s of %j', (name, event, expected, clearance) => {
    expect(String(makeValue(name, event, clearance).valueOf())).toBe(expected)
  })

  it.each([
    ['full', 2000],
    ['summary', 600],
  ] as const)('show the end of a long command as well, with clearance %s', (clearance, max) => {
    const subject = `cd /srv && ${'make --all && '.repeat(1000)}curl -u me:hunter2 x && rm -rf /srv`
    const question = { about: 'command', tool: 'Bash', subject, detail: '', choices: [] } as const
    const asked = makeValue('asked', { question: { ...question, from: 'payload' } }, clearance)
    const text = String(asked.valueOf())
    expect(text).toMatch(/^cd \/srv && make .*….* && curl -u me:\[redacted\] x && rm -rf \/srv$/)
    expect(text.length).toBeLessThanOrEqual(max)
  })

  it('leave out a key that is cut because only both ends of a long answer are read', () => {
    const key = `ghp_${'0123456789'.repeat(4)}`
    for (const cut of [10, 20, 30]) {
      const rest = ` ${'word '.repeat(4000)}`.slice(0, 16 * 1024 - cut)
      const said = String(makeValue('headline', { lastMessage: key + rest }, 'summary').valueOf())
      expect(said).toMatch(/^\[redacted\] word/)
      expect(said).not.toMatch(/ghp|\d{4}/)
    }
    const unbroken = `${'x'.repeat(4080)}_${key} ${'word '.repeat(4000)}`
    const said = String(makeValue('headline', { lastMessage: unbroken }, 'summary').valueOf())
    expect(said).not.toMatch(/ghp|\d{3}/)
  })

  const edited = (change: string) => {
    const question = { about: 'file', tool: 'Edit', subject: 'a', detail: '', choices: [] } as const
    return { question: { ...question, from: 'payload', change } }
  }

  it('show a change from both of its ends, without secrets, as code', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `+ line ${at}`)
    const shown = String(makeValue('change', edited(lines.join('\n'))).valueOf())
    expect(shown.split('\n')).toEqual([...lines.slice(0, 6), '… 20 more lines', ...lines.slice(-4)])
    const secret = `- PASSWORD=x\n+ PASSWORD=hunter2hunter2\n+ ${'a '.repeat(90)}ghp_${'0123456789'.repeat(4)}`
    const [, added = '', long = ''] = String(makeValue('change', edited(secret)).valueOf()).split(
      '\n',
    )
    expect(added).toBe('+ PASSWORD=[redacted]')
    expect(long).toMatch(/^\+ (a )+a…$/)
    const change = makeValue('change', edited('- <b>')) as Formatted
    expect(change.in(notifiers.telegram.markup ?? expect.fail('no markup'))).toBe(
      '<pre>- &lt;b&gt;</pre>',
    )
    expect(makeValue('change', edited('- a'), 'minimal')).toBe('')
  })

  it('have no active markup from the choices of a question', () => {
    const question = { about: 'question', subject: '', detail: '', choices: ['<!channel> a', 'b'] }
    const choices = makeValue('choices', { question }) as Formatted
    expect(choices.in(notifiers.slack.markup ?? expect.fail('no markup'))).toBe(
      '1. &lt;!channel&gt; a\n2. b',
    )
  })

  it('leave out the date of a time on the same day', () => {
    const at = Date.parse('2026-11-20T09:00Z')
    const resets = (resetsAt: number) =>
      String(
        makeValue('resets', { at, failure: { reason: '', isLimit: true, resetsAt } }).valueOf(),
      )
    expect(resets(at + 3_600_000)).toBe('10:00')
    expect(resets(at + 86_400_000)).toBe('2026-11-21 09:00')
  })
})
