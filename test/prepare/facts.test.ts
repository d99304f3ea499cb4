import { describe, expect, it } from 'vitest'
import { parseEntry } from '../../src/journal/entry.ts'
import { cleanEntry } from '../../src/journal/journal.ts'
import { eventOfEntry, factsOf } from '../../src/prepare/facts.ts'
import { policyConfig } from '../../src/simulate/judge.ts'
import { type Happening, Replay } from '../../src/simulate/replay.ts'
import { parsePayload } from '../support/payload.ts'

const at = Date.parse('2026-11-20T09:00:00Z')
const failure = {
  hook_event_name: 'StopFailure',
  session_id: 's1',
  cwd: '/srv/shop',
  permission_mode: 'plan',
  error: 'rate_limit',
}
const around = { project: 'shop', branch: 'release/2', title: '', firstPrompt: '' }
const did = { tools: {}, files: [], commands: [] }

function makeEvent(payload: object, env = {}, client = 'claude'): Happening['found'] {
  const parsed = parsePayload(payload, { client, at, env })
  return { ...parsed, id: 'e1', ...around, tokens: undefined, did, durationMs: 61_000 }
}

const conditions = [
  { project: ['shop'] },
  { project: ['/srv/*'] },
  { branch: ['release/*'] },
  { client: ['claude'] },
  { reason: ['rate_limit'] },
  { minSeconds: 61 },
  { permissionMode: ['plan'] },
  { ssh: true },
  { headless: true },
  { away: true },
  { from: '09:00', to: '09:01', timeZone: 'UTC', weekday: ['fri'] },
]

describe('the facts that the journal keeps of an event', () => {
  it.each(conditions)('are sufficient to replay a route with %j', (when) => {
    const config = policyConfig({ routes: [{ on: ['*'], when, to: ['desktop'] }] })
    const env = { SSH_CONNECTION: '10.0.0.1 22', CLAUDE_CODE_SESSION_ATTENDED: '0' }
    const event = { ...makeEvent(failure, env), isHere: false }
    const first = new Replay(config)
    first.add({ found: event })
    const [entry = expect.fail('no entry')] = first.entries
    const read = parseEntry(JSON.stringify(cleanEntry(entry, [])))
    if (read?.type !== 'accepted') expect.fail('not the entry')
    const again = new Replay(config)
    again.add({ found: eventOfEntry(read, config.abnormalReasons) })
    expect(first.pings).toHaveLength(1)
    expect(again.pings).toEqual(first.pings)
    expect(again.entries[0]?.facts).toEqual(read.facts)
  })

  it('are sufficient to judge the end of a turn, and an idle notice, once more', () => {
    const found = {
      backgroundTasks: 1,
      backgroundAgents: 1,
      backgroundTeammates: 1,
      asks: true,
      isInterrupted: true,
      isAtRest: true,
      isOfSubagent: true,
      wakesAt: 9,
    }
    const config = policyConfig({})
    const replay = new Replay(config)
    replay.add({ found: { ...makeEvent({ hook_event_name: 'Stop' }), ...found } })
    const [entry = expect.fail('no entry')] = replay.entries
    expect(eventOfEntry(entry, config.abnormalReasons)).toMatchObject(found)
  })

  it('are all that decisions depend on', () => {
    const found = {
      means: 'PreToolUse',
      ...{ isHeadless: false, sessionId: 's1', durationMs: 61_000 },
      ...{ notificationType: 'type', reason: 'why', cwd: '/srv/shop', agent: 'tester' },
      ...{ agentId: 'a1', tool: 'Bash', toolUseId: 't1', turnId: 'u1', parentSessionId: 's0' },
      ...{ permissionMode: 'plan', branch: 'fix', surface: 'VS Code' },
    } as const
    const replay = new Replay(policyConfig({}))
    replay.add({ found: { ...makeEvent({ hook_event_name: 'PermissionRequest' }), ...found } })
    const [entry = expect.fail('no entry')] = replay.entries
    expect(eventOfEntry(entry, [])).toMatchObject(found)
  })

  it('are only those that are known', () => {
    const facts = factsOf(makeEvent({ hook_event_name: 'Stop' }), { keepsText: true })
    expect(facts).toEqual({ means: 'Stop', branch: 'release/2', durationMs: 61_000 })
  })

  it('say whether a person was at the terminal, if that is known', () => {
    for (const isAtTerminal of [true, false, undefined]) {
      const facts = factsOf({ ...makeEvent(failure), isAtTerminal }, { keepsText: true })
      expect(facts.isAtTerminal).toBe(isAtTerminal)
      const replay = new Replay(policyConfig({}))
      replay.add({ found: { ...makeEvent(failure), isAtTerminal } })
      const [entry = expect.fail('no entry')] = replay.entries
      expect(eventOfEntry(entry, []).isAtTerminal).toBe(isAtTerminal)
    }
  })

  it('keep a replay silent if notifications were switched off at the event', () => {
    const config = policyConfig({})
    const event = makeEvent(failure, { DROID_DISABLE_NOTIFICATIONS: '1' }, 'droid')
    const entryOf = (found: Happening['found']) => {
      const replay = new Replay(config)
      replay.add({ found })
      expect(replay.pings).toEqual([])
      return replay.entries[0] ?? expect.fail('no entry')
    }
    const entry = entryOf(event)
    expect(entryOf(eventOfEntry(entry, [])).facts).toEqual(entry.facts)
  })

  it.each([
    [{ hook_event_name: 'SessionEnd', reason: 'crash' }, [], 'ended'],
    [{ hook_event_name: 'SessionEnd', reason: 'crash' }, ['crash'], 'abnormal-end'],
    [{ hook_event_name: 'SessionEnd', reason: 'clear' }, ['crash'], 'ended'],
    [{ hook_event_name: 'Stop', reason: 'crash' }, ['crash'], 'done'],
  ])('let the end of %j be judged by the reasons %j', (payload, reasons, kind) => {
    const replay = new Replay(policyConfig({}))
    replay.add({ found: makeEvent(payload) })
    const [entry = expect.fail('no entry')] = replay.entries
    expect(eventOfEntry(entry, reasons).kind).toBe(kind)
  })

  it('may be missing, as in older versions, or have unknown kinds, as from newer versions', () => {
    const replay = new Replay(policyConfig({}))
    replay.add({ found: makeEvent({ hook_event_name: 'Stop' }) })
    const [entry = expect.fail('no entry')] = replay.entries
    const { facts, ...older } = entry
    expect(eventOfEntry(older, [])).toMatchObject({ means: 'Stop', kind: 'done', cwd: '' })
    const newer = { ...entry, kind: 'of-next-year' as typeof entry.kind }
    expect(eventOfEntry(newer, []).kind).toBe('other')
  })

  it('say that notifications are switched off, but not by which variable', () => {
    const facts = factsOf(makeEvent(failure, { DROID_DISABLE_NOTIFICATIONS: '1' }, 'droid'), {
      keepsText: true,
    })
    expect(facts).toMatchObject({ isSwitchedOff: true })
    expect(JSON.stringify(facts)).not.toContain('DROID')
  })

  it('contain the text of a failure only if texts are kept', () => {
    const event = makeEvent({ ...failure, error: 'The agent wrote: my secret plan' })
    expect(factsOf(event, { keepsText: true }).failureReason).toContain('my secret plan')
    expect(JSON.stringify(factsOf(event, { keepsText: false }))).not.toContain('secret plan')
    const word = factsOf(makeEvent(failure), { keepsText: false })
    expect(word).toMatchObject({ failureReason: 'rate_limit' })
  })
})
