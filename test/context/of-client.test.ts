import { mkdirSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, it, vi } from 'vitest'
import { askedIn, formatOf, rootsOf, transcriptOf } from '../../src/context/of-client.ts'
import { rememberPlace } from '../../src/install/places.ts'
import { makeFolder } from '../support/folder.ts'
import { makeAgentEvent } from '../support/payload.ts'

it('a transcript is looked for only in the folders of its client, or in those of all clients if it is unknown', () => {
  const roots = rootsOf('droid')
  expect(roots.map((root) => root.split(sep).slice(-2))).toEqual([
    ['.factory', 'sessions'],
    ['.factory', 'projects'],
  ])
  expect(formatOf('droid')).toBe('droid')
  expect(rootsOf('my-agent')).toEqual(expect.arrayContaining([...roots, ...rootsOf('claude')]))
  expect(formatOf('my-agent')).toBeUndefined()
})

it('the transcript is the one that the event names, but a question of a sub-agent is in its own', async () => {
  const transcriptPath = '/home/me/s1.jsonl'
  const named = makeAgentEvent({ client: 'copilot', sessionId: 's1', transcriptPath })
  expect(await transcriptOf(named)).toBe(transcriptPath)
  const ofAgent = makeAgentEvent({ client: 'claude', agentId: 'a1', transcriptPath })
  expect(askedIn({ ...ofAgent, kind: 'permission' })).toBe('/home/me/s1/subagents/agent-a1.jsonl')
  expect(askedIn({ ...ofAgent, kind: 'subagent-done' })).toBe(transcriptPath)
  expect(askedIn({ ...ofAgent, kind: 'permission', transcriptPath: '' })).toBe('')
})

it('the transcript of a session of Kimi Code is found in the folder of any project', async () => {
  const home = await makeFolder()
  vi.stubEnv('KIMI_CODE_HOME', home)
  const folder = join(home, 'sessions/wd_shop_1/session_1/agents/main')
  mkdirSync(join(home, 'sessions/wd_app_2'), { recursive: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'wire.jsonl'), '')
  const event = makeAgentEvent({ client: 'kimi', sessionId: 'session_1' })
  expect(await transcriptOf(event)).toBe(join(folder, 'wire.jsonl'))
  expect(await transcriptOf({ ...event, sessionId: 'session_2' })).toBe('')
  expect(await transcriptOf({ ...event, sessionId: '../session_1' })).toBe('')
})

it('the transcript of a session that no event names is found in each registered profile', async () => {
  const [home, second] = [await makeFolder(), await makeFolder()]
  vi.stubEnv('COPILOT_HOME', home)
  vi.stubEnv('HOOKBELL_STATE_DIR', join(home, 'state'))
  const file = (folder: string, id: string) => join(folder, 'session-state', id, 'events.jsonl')
  mkdirSync(join(second, 'session-state/s2'), { recursive: true })
  writeFileSync(file(second, 's2'), '')
  const event = makeAgentEvent({ client: 'copilot', sessionId: 's2' })
  expect(await transcriptOf(event)).toBe(file(home, 's2'))
  const path = join(second, 'hooks/hookbell.json')
  rememberPlace(join(home, 'state'), { client: 'copilot', scope: 'user', path, form: 'wrapped' })
  expect(await transcriptOf(event)).toBe(file(second, 's2'))
  // It may be written later.
  expect(await transcriptOf({ ...event, sessionId: 's3' })).toBe(file(home, 's3'))
})
