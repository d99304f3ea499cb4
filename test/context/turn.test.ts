import { describe, expect, it } from 'vitest'
import type { Entry, EntryContent } from '../../src/context/transcripts/entry.ts'
import { deedsOf, turnAt, wentOnAfter } from '../../src/context/turn.ts'

const moment = 1_000_000

/** The contents of entries, by the names that entriesOf() takes. */
const contents: Readonly<Record<string, EntryContent>> = {
  prompt: { type: 'prompt', text: 'go' },
  own_prompt: { type: 'prompt', text: '', isOwn: true },
  answer: { type: 'answer', text: 'done' },
  call: { type: 'call', id: 't1', name: 'Bash', input: {} },
  'other call': { type: 'call', id: 't2', name: 'Read', input: {} },
  result: { type: 'result', id: 't1' },
  'other result': { type: 'result', id: 't2' },
  replied: { type: 'replied' },
  usage: { type: 'usage', id: '', tokens: { input: 1, output: 1 } },
  failed: { type: 'end', outcome: 'failed', reason: 'no credit' },
  completed: { type: 'end', outcome: 'completed', reason: '' },
  refused: { type: 'refusedEnd' },
  added: { type: 'queue', change: 'added' },
  removed: { type: 'queue', change: 'removed' },
  emptied: { type: 'queue', change: 'emptied' },
  session: { type: 'session', title: 'Login' },
}

/** Entries such as `prompt-500 answer`: each with its time relative to the moment, if it has one. */
function entriesOf(line: string): Entry[] {
  return [...line.matchAll(/([a-z_]+)([+-]\d+)?(?= |$)/g)].map(([, name = '', offset]) => {
    const content = contents[name] ?? contents[name.replace('_', ' ')]
    if (!content) throw new Error(`unknown entry: ${name}`)
    return { ...content, at: offset === undefined ? undefined : moment + Number(offset) }
  })
}

describe('the transcript of a turn', () => {
  it.each([
    ['prompt-500 answer-400', false],
    ['prompt-500 answer-400 usage session completed', false],
    ['prompt-500', true],
    ['prompt-500 answer-400 call-300', true],
    ['prompt-500 answer-400 call-300 result-200', true],
    ['prompt-500 answer-400 prompt-300', true],
    ['prompt-500 answer+50', false],
    ['prompt-500 answer+5000', true],
  ])('is late if it does not end with an answer: %s, %s', (line, isLate) => {
    expect(turnAt(entriesOf(line), moment).isLate).toBe(isLate)
  })

  it('does not include a queued prompt, however soon after the end that begins', () => {
    const turn = turnAt(entriesOf('prompt-500 answer-100 prompt+50'), moment)
    expect(turn).toMatchObject({ promptedAt: moment - 500, lastMessage: 'done', isFollowed: true })
  })

  it.each([
    ['prompt-500 answer-100', undefined],
    ['prompt-500 answer-100 refused-50', undefined],
    ['prompt-500 answer-100 refused+40', true],
    ['prompt-500 answer-100 refused+90000', true],
    ['prompt-500 answer-100 refused+40 answer+200 completed+300', true],
    ['prompt-500 refused-50 answer-20 completed+40', false],
    ['prompt-500 answer-100 completed+40 prompt+500 answer+600 refused+700', false],
    ['prompt-500 answer-100 prompt+400', false],
    // The client ended the turn although a hook refused that.
    ['prompt-500 answer-100 refused+40 completed+41', false],
  ])('tells whether a hook made the agent go on: %s: %s', (line, isRefused) => {
    expect(turnAt(entriesOf(line), moment).isRefused).toBe(isRefused)
  })

  it.each([
    ['prompt-500 answer-100', undefined],
    ['prompt-500 answer-100 completed+40', undefined],
    ['prompt-500 answer-100 completed+40 prompt+500', true],
    ['prompt-500 answer-100 prompt+5', true],
    ['prompt-500 answer-100 completed+40 prompt+10000', true],
    // More than ten seconds after the end, the prompt was typed later, not queued.
    ['prompt-500 answer-100 completed+40 prompt+10001', false],
    // The answer itself was written late.
    ['prompt-500 answer+10 completed+40 prompt+500 answer+600', true],
    ['prompt-500 answer-100 completed+40 own_prompt+500 answer+600 prompt+700', false],
    ['prompt-500 answer-100 refused+40 answer+200 prompt+700', false],
    ['prompt-500 answer-100 call+40 prompt+700', false],
  ])('tells whether a prompt of a person came next: %s: %s', (line, isFollowed) => {
    expect(turnAt(entriesOf(line), moment).isFollowed).toBe(isFollowed)
  })

  it.each([
    ['prompt-500 answer-100', false],
    ['prompt-500 added-400 answer-100', true],
    ['prompt-500 answer-100 added+5', false],
    ['prompt-500 added-400 removed-300 answer-100', false],
    ['prompt-500 added-400 answer-100 removed+50', true],
    ['prompt-500 added-400 added-390 removed-300 answer-100', true],
    ['prompt-500 added-400 added-390 emptied-300 answer-100', false],
    // The removed prompt was added before the part of the file that was read.
    ['prompt-500 removed-400 added-300 answer-100', true],
  ])('tells whether a prompt is queued at its end: %s: %s', (line, hasQueuedPrompt) => {
    expect(turnAt(entriesOf(line), moment).hasQueuedPrompt).toBe(hasQueuedPrompt)
  })

  it.each([
    ['prompt-500 failed-100', 'failed', 'no credit'],
    ['prompt-500 failed', 'failed', 'no credit'],
    // A client may write the failure after its hooks have run.
    ['prompt-500 answer-100 failed+9000', 'failed', 'no credit'],
    ['prompt-500 answer-100 session+5000 failed', 'failed', 'no credit'],
    ['prompt-500 answer-100 failed+11000', '', ''],
    ['prompt-500 answer-100 prompt+5000 failed+6000', '', ''],
    ['prompt-900 failed-800 prompt-500 answer-100', '', ''],
    ['prompt-900 failed-800 prompt-500', '', ''],
    ['prompt-900 failed-800 prompt-500 completed-100', 'completed', ''],
    ['prompt-500 answer-100', '', ''],
    ['', '', ''],
  ])('gives how that turn ended: %s: %s', (line, outcome, outcomeReason) => {
    expect(turnAt(entriesOf(line), moment)).toMatchObject({ outcome, outcomeReason })
  })

  it.each([
    ['prompt-500 call-100', ['t1']],
    ['prompt-500 call-100 result-50', []],
    // A hook may start before its call is written, and the call may have been answered since.
    ['prompt-500 call+900', ['t1']],
    ['prompt-500 call-100 result+10', ['t1']],
    ['prompt-500 call+1100', []],
    ['prompt-500 call-400 prompt-300 other_call-100', ['t2']],
    // A call of the previous turn had the same id.
    ['prompt-500 call-400 result-350 prompt-300 call-100', ['t1']],
    ['call-100 other_call-90 result-80', ['t2']],
  ])('gives the calls that were open: %s: %s', (line, ids) => {
    expect(turnAt(entriesOf(line), moment).openCalls.map(({ id }) => id)).toEqual(ids)
  })

  it('gives nothing if it has no entries', () => {
    expect(turnAt([], moment)).toEqual({
      lastMessage: '',
      plan: '',
      prompt: '',
      promptedAt: undefined,
      isLate: true,
      isDecidedByClient: false,
      openCalls: [],
      outcome: '',
      outcomeReason: '',
      outcomeAt: undefined,
      isRefused: undefined,
      hasQueuedPrompt: false,
      isFollowed: undefined,
      runningAgents: [],
      tokens: undefined,
      did: { tools: {}, files: [], commands: [] },
    })
  })
})

describe('a question', () => {
  const never = undefined

  it.each([
    // Entries other than a result may also show that the session went on.
    ['call-10 prompt+500', 500],
    ['call-10 failed+500 prompt+600', 500],
    ['call-10 replied+500', 500],
    ['call-10 own_prompt+500', never],
    ['prompt-500 call-10', never],
    ['prompt-500 call-10 session+500 usage+600', never],
    // The question may be about any open call, so all of them must have a result.
    ['call-10 result+500', 500],
    ['call-10 other_call-5 other_result+500', never],
    ['call-10 other_call-5 other_result+500 result+600', 600],
    ['call-10 answer+500', never],
    // Without an open call, any later answer or result counts.
    ['prompt-500 answer+500', 500],
    ['prompt-500 result+500', 500],
    ['prompt-500 answer-400', never],
  ])('counts as answered when the session went on after it: %s: %s', (line, after) => {
    const at = after === undefined ? undefined : moment + after
    expect(wentOnAfter(entriesOf(line), { at: moment })).toBe(at)
  })

  it('counts as answered at the time before the line that shows it, if that line has none', () => {
    const [call, answer, result] = entriesOf('call-10 answer+300 result+500')
    const lines = [call, answer, { ...result, at: undefined }] as Entry[]
    expect(wentOnAfter(lines, { at: moment })).toBe(moment + 300)
    expect(wentOnAfter([call, lines[2]] as Entry[], { at: moment - 20 })).toBe(moment - 10)
  })

  it.each([
    ['call-10 other_call-5 other_result+500', never],
    ['call-10 other_call-5 result+500', 500],
    // The call is not in the part of the transcript that was read.
    ['other_call-5 other_result+500', never],
    ['answer+500', never],
  ])('about a known call counts as answered by the result of that call: %s: %s', (line, after) => {
    const at = after === undefined ? undefined : moment + after
    expect(wentOnAfter(entriesOf(line), { at: moment, toolUseId: 't1' })).toBe(at)
  })
})

describe('what an agent did', () => {
  it.each([
    'Write',
    'Edit',
    'MultiEdit',
    'multi_edit',
    'Create',
    'replace',
    'ApplyPatch',
    'apply_patch',
    'NotebookEdit',
    'notebook_edit',
    'str_replace_editor',
  ])('includes the file of %s', (name) => {
    expect(deedsOf([{ name, input: { file_path: '/srv/a.ts' } }]).files).toEqual(['/srv/a.ts'])
  })

  it.each(['Read', 'TodoWrite', 'view'])('includes no file of %s', (name) => {
    const deeds = deedsOf([{ name, input: { file_path: '/srv/a.ts' } }])
    expect(deeds).toEqual({ tools: { [name]: 1 }, files: [], commands: [] })
  })

  it('includes the files of a patch', () => {
    const patch = `*** Begin Patch
*** Add File: a.ts
+*** Add File: b.ts
*** Update File: c.ts\r
*** Delete File: d e.ts
*** Move to: f.ts
*** End Patch`
    for (const input of [{ input: patch }, { patch }, { diff: patch }])
      expect(deedsOf([{ name: 'apply_patch', input }]).files).toEqual(['a.ts', 'c.ts', 'd e.ts'])
  })

  it('includes each file, command and tool once, in the order of their first use', () => {
    const run = (command: unknown) => ({ name: 'Bash', input: { command } })
    const write = (path: string) => ({ name: 'Write', input: { file_path: path } })
    expect(
      deedsOf([write('b'), run('ls'), write('a'), run('pwd'), write('b'), run('ls'), run('')]),
    ).toEqual({ tools: { Write: 3, Bash: 4 }, files: ['b', 'a'], commands: ['ls', 'pwd'] })
  })

  it('has no details of calls without a name or a valid input', () => {
    const calls = [
      { name: '', input: {} },
      { name: 'Write', input: 'x' },
    ]
    expect(deedsOf(calls)).toEqual({ tools: { Write: 1 }, files: [], commands: [] })
  })

  it('is truncated to well-formed text', () => {
    const path = `${'x'.repeat(499)}😀`
    const { files } = deedsOf([{ name: 'Write', input: { file_path: path } }])
    expect(files).toEqual([`${'x'.repeat(499)}\ufffd`])
  })
})
