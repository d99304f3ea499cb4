import { writeFileSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type EnrichedEvent, enrich } from '../../../src/context/enrich.ts'
import { readRecords } from '../../../src/context/transcripts/index.ts'
import type { Payload } from '../../../src/event/payload.ts'
import { makeAgentEvent } from '../../support/payload.ts'
import { makeHome, transcriptText } from '../_world.ts'

/** Enriches the ends of turns in a transcript of droid 0.225.2, each with only the lines that were written by then. */
async function endsAt(name: string, times: string[]): Promise<EnrichedEvent[]> {
  const { home, path } = makeHome()
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const lines = transcriptText(name).trimEnd().split('\n')
  const ends: EnrichedEvent[] = []
  for (const time of times) {
    const at = Date.parse(`2026-11-26T${time}Z`)
    const written = lines.findIndex((line) => timeIn(line) > at + 500)
    writeFileSync(path, `${lines.slice(0, written < 0 ? undefined : written).join('\n')}\n`)
    const fields = { kind: 'done', means: 'Stop', transcriptPath: path, cwd: home, at } as const
    ends.push(
      await enrich(makeAgentEvent({ client: 'droid', ...fields }), { now: () => at + 4000 }),
    )
  }
  return ends
}

function timeIn(line: string): number {
  return Date.parse(/"timestamp":"([^"]+)"/.exec(line)?.[1] ?? '')
}

it('a turn of droid ends when no other hook makes the agent go on', async () => {
  const ends = await endsAt('droid.refused', ['19:15:57.867', '19:16:02.318', '19:16:06.534'])
  expect(ends.map(({ means }) => means)).toEqual(['StopRefused', 'StopRefused', 'Stop'])
  expect(ends.at(-1)).toMatchObject({
    ...{ prompt: 'Fix the login test', lastMessage: 'The linter is happy.', durationMs: 25_110 },
  })
})

it('the end of a turn of droid counts background sub-agents until they have reported', async () => {
  const [first, last] = await endsAt('droid.agents', ['19:13:25.554', '19:13:53.030'])
  expect(first).toMatchObject({ backgroundTasks: 1, backgroundAgents: 1 })
  expect(last).toMatchObject({ backgroundTasks: 0, durationMs: 52_407 })
  expect(last).not.toHaveProperty('backgroundAgents')
})

const note = (id: string, more: Payload): Payload => ({
  ...{
    type: 'message',
    id,
    message: { role: 'user', content: [], visibility: 'user_only', ...more },
  },
})

it('the end of a session of droid ends its sub-agents', () => {
  const records = [note('m1', { hookEventName: 'SessionEnd' })]
  expect(readRecords(records, 'droid')).toEqual([{ type: 'agentOver', id: '', at: undefined }])
})

it.each([
  ['exits with 2', { exitCode: 2, stdout: '', stderr: 'Run the tests' }, true],
  ['blocks', { exitCode: 0, stdout: '{"decision":"block","reason":"Run the tests"}' }, true],
  ['blocks without a reason', { exitCode: 0, stdout: '{"decision":"block"}' }, false],
  ['fails', { exitCode: 1, stdout: '{"decision":"block","reason":"Run the tests"}' }, false],
  ['prints words', { exitCode: 0, stdout: 'All is well' }, false],
])('a hook of droid that %s makes the agent go on: %j, %s', (_, result, isRefusal) => {
  const records = [note('m1', { hookEventName: 'Stop', hookResults: [{ exitCode: 0 }, result] })]
  const refused = [{ type: 'refusedEnd', at: undefined }]
  expect(readRecords(records, 'droid')).toEqual(isRefusal ? refused : [])
})
