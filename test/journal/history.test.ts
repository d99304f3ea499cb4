import { describe, expect, it } from 'vitest'
import type { AcceptedEntry, JournalEntry } from '../../src/journal/entry.ts'
import {
  channelsOf,
  EventHistory,
  emptyStatus,
  hasFailed,
  isOpen,
} from '../../src/journal/history.ts'

const of = { at: 1, id: 'e1' }
const accepted: AcceptedEntry = {
  ...{ ...of, type: 'accepted', acceptedAt: 1, event: 'PermissionRequest', kind: 'permission' },
  ...{ client: 'claude', sessionId: 's1', project: 'shop', title: 'asks', to: ['desk', 'audit'] },
  people: ['desk'],
}
const on = (channel: string) => ({ ...of, channel, attempt: 1 })
const notHere: JournalEntry = { ...on('desk'), type: 'unavailable', reason: 'no desktop' }
const unseen: JournalEntry = { ...of, type: 'undelivered', reason: 'desk: no desktop' }
const told = (channel: string): JournalEntry => ({
  ...{ ...on(channel), type: 'delivered', ms: 1, answer: 'ok' },
})
const gaveUp = (channel: string): JournalEntry => ({
  ...{ ...on(channel), type: 'exhausted', reason: 'full disk' },
})
const retried: JournalEntry = { ...of, type: 'retried' }

function outcomeOf(...entries: JournalEntry[]) {
  const history = new EventHistory()
  for (const entry of [accepted, ...entries]) history.add(entry)
  return history.byId.get('e1')?.outcome
}

describe('a question that reached no person, only a record', () => {
  it.each<[string, JournalEntry[]]>([
    ['before that is recorded', [told('audit'), notHere]],
    ['when recorded before the undelivered entry', [told('audit'), notHere, unseen]],
    ['when recorded after the undelivered entry', [notHere, unseen, told('audit')]],
    ['when the record failed', [notHere, unseen, gaveUp('audit')]],
    [
      'when recorded by a later attempt',
      [notHere, unseen, gaveUp('audit'), retried, told('audit')],
    ],
  ])('is undelivered %s', (_, entries) => {
    expect(outcomeOf(...entries)).toBe('undelivered')
  })

  it('is delivered when it reaches a person late', () => {
    expect(outcomeOf(notHere, unseen, told('audit'), told('team'))).toBe('delivered')
    expect(outcomeOf(notHere, unseen, told('team'), told('audit'))).toBe('delivered')
  })

  it('is waiting when a channel for people is retried', () => {
    expect(outcomeOf(gaveUp('desk'), told('audit'), unseen)).toBe('undelivered')
    expect(outcomeOf(gaveUp('desk'), told('audit'), unseen, retried)).toBe('waiting')
    expect(outcomeOf(gaveUp('desk'), told('audit'), unseen, retried, told('desk'))).toBe(
      'delivered',
    )
  })
})

describe('an event', () => {
  it('waits for its other channels after it was suppressed on one', () => {
    const suppressed: JournalEntry = { ...on('audit'), type: 'suppressed', reason: 'too old' }
    expect(outcomeOf(suppressed)).toBe('waiting')
    expect(outcomeOf(suppressed, told('desk'))).toBe('delivered')
  })

  it('waits when it is retried after it could not be used', () => {
    const unusable: JournalEntry = { ...of, type: 'unusable', reason: 'not JSON' }
    const history = new EventHistory()
    history.add(unusable)
    expect(history.byId.get('e1')?.outcome).toBe('dead')
    history.add(retried)
    expect(history.byId.get('e1')?.outcome).toBe('waiting')
  })
})

describe('a message that was tried before a rule held it', () => {
  const deferred: JournalEntry = { ...on('team'), type: 'deferred', reason: 'down', until: 9 }
  const held: JournalEntry = { ...of, channel: 'team', type: 'held', reason: 'night', until: 20 }
  const teamAfter = (...entries: JournalEntry[]) => {
    const history = new EventHistory()
    for (const entry of [accepted, ...entries]) history.add(entry)
    return history.byId.get('e1')?.channels.team
  }

  it('keeps the number of its attempts, and does not become a later step', () => {
    const status = teamAfter(deferred, held)
    expect(status).toMatchObject({ state: 'held', attempts: 1, at: 20 })
    expect(status).not.toHaveProperty('plannedFor')
  })

  it('keeps the time for which it was planned if it is a later step', () => {
    const status = teamAfter({ ...held, until: 5 }, deferred, held)
    expect(status).toMatchObject({ state: 'held', attempts: 1, plannedFor: 5 })
  })
})

describe('an event that is purged', () => {
  const question = { ...accepted, to: ['desk', 'audit', 'team'] }
  const purged: JournalEntry = { ...of, type: 'suppressed', reason: 'purged by hand' }
  const deferred: JournalEntry = { ...on('team'), type: 'deferred', reason: 'down', until: 9 }
  const statusOf = (...entries: JournalEntry[]) => {
    const history = new EventHistory()
    for (const entry of [question, ...entries, purged]) history.add(entry)
    return history.byId.get('e1')
  }

  it.each<[string, string, JournalEntry[]]>([
    ['suppressed', 'no channel got it', [deferred]],
    ['delivered', 'a channel got it', [told('desk'), deferred]],
    ['dead', 'a channel gave up', [told('desk'), gaveUp('audit')]],
    ['undelivered', 'nobody saw it', [notHere, told('audit'), unseen]],
  ])('is %s if %s', (outcome, _, entries) => {
    expect(statusOf(...entries)?.outcome).toBe(outcome)
  })

  it('has no open channel', () => {
    const status = statusOf(told('desk'), deferred)
    const suppressed = { state: 'suppressed', detail: 'purged by hand' }
    expect(status?.channels).toMatchObject({
      ...{ team: { ...suppressed, attempts: 1 }, audit: { ...suppressed, attempts: 0 } },
    })
    expect(status?.reason).toBe('purged by hand')
  })
})

describe('the status of an event', () => {
  const statusOf = (...entries: JournalEntry[]) => {
    const history = new EventHistory()
    for (const entry of entries) history.add(entry)
    return history.byId.get('e1') ?? emptyStatus('e1', 0)
  }
  const deferred: JournalEntry = { ...on('desk'), type: 'deferred', reason: 'busy', until: 9 }

  it('is open until every channel has ended, even if an attempt was recorded first', () => {
    const nowhere = { ...accepted, to: [], people: [] }
    expect(statusOf()).toMatchObject({ event: 'unknown', outcome: 'waiting' })
    // The reason why the event goes nowhere is recorded after this entry.
    expect(statusOf(nowhere)).toMatchObject({ event: 'PermissionRequest', outcome: 'waiting' })
    expect(statusOf(nowhere)).not.toHaveProperty('people')
    expect(statusOf(deferred)).toMatchObject({
      ...{ outcome: 'waiting', channels: { desk: { attempts: 1, at: 9 } } },
    })
    expect(statusOf(told('desk'), accepted)?.outcome).toBe('waiting')
    expect(statusOf(told('desk'), told('audit'), accepted)?.outcome).toBe('delivered')
  })

  it('names the client of an event that cannot be handled', () => {
    const unusable: JournalEntry = { ...of, type: 'unusable', reason: 'no JSON' }
    expect(statusOf({ ...unusable, client: 'droid' })).toMatchObject({
      ...{ outcome: 'dead', client: 'droid', reason: 'no JSON' },
    })
    expect(statusOf(unusable)?.client).toBe('unknown')
  })

  it('names the program around the client, if one is known', () => {
    const inEditor = { ...accepted, facts: { means: 'PermissionRequest', surface: 'VS Code' } }
    expect(statusOf(inEditor)).toHaveProperty('surface', 'VS Code')
    expect(statusOf(accepted)).not.toHaveProperty('surface')
  })

  it('includes channels that were not chosen at first, whatever their names', () => {
    const status = statusOf(accepted, told('team'), told('audit'))
    if (!status) throw new Error('no status')
    expect(channelsOf(status)).toEqual(['desk', 'audit', 'team'])
    expect([...channelsOf(status), 'constructor'].map((name) => isOpen(status, name))).toEqual([
      ...[true, false, false, true],
    ])
    expect(hasFailed(status, 'constructor')).toBe(false)
  })
})

describe('a question', () => {
  const of = { ...{ at: 9, id: 'e1' }, client: 'claude', sessionId: 's1' }

  it('has the answer that was recorded first, and its outcome does not change', () => {
    const history = new EventHistory()
    const first: JournalEntry = { ...of, type: 'answered', how: 'transcript', answeredAt: 5 }
    for (const entry of [accepted, told('desk'), first]) history.add(entry)
    history.add({ ...of, type: 'answered', how: 'prompt', answeredAt: 8 })
    expect(history.byId.get('e1')).toMatchObject({ answer: { how: 'transcript', at: 5 } })
    expect(history.byId.get('e1')?.outcome).toBe('waiting')
    expect(outcomeOf(told('desk'), told('audit'), first)).toBe('delivered')
  })

  it('whose session ended has no answer', () => {
    const history = new EventHistory()
    for (const entry of [accepted, { ...of, type: 'unanswered' } as const]) history.add(entry)
    expect(history.byId.get('e1')?.answer).toEqual({ how: 'none', at: 9 })
  })
})
