import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clientNames } from '../../src/clients/index.ts'
import { noiseRules } from '../../src/config/schema/noise.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { asksAtEnd } from '../../src/event/headline.ts'
import { allPolicies } from '../../src/policy/memory.ts'
import { goesOn } from '../../src/policy/rules/goes-on.ts'
import { parsePayload } from '../support/payload.ts'
import { type Options, runTimeline } from '../support/timeline.ts'

const start = Date.parse('2026-11-20T09:00:00Z')
const channels = { desk: { type: 'desktop' }, phone: { type: 'desktop' } }
const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'Go' }
const ownPrompt = { ...prompt, prompt: '<task-notification>Build is over</task-notification>' }
const stop = { hook_event_name: 'Stop' }
const asking = { ...stop, last_assistant_message: 'Shall I delete it?' }
const idle = { hook_event_name: 'Notification', notification_type: 'idle_prompt' }
const request = { hook_event_name: 'PermissionRequest', tool_name: 'Bash' }
const notice = { hook_event_name: 'Notification', notification_type: 'permission_prompt' }
const end = { hook_event_name: 'SessionEnd', reason: 'other' }
const tasks = (count: number) => ({ background_tasks: Array(count).fill({}) })

type Step = [seconds: number, payload: object]

interface Settings {
  client?: string
  isAtTerminal?: boolean
  isHeadless?: boolean
  /** The variables of the session. */
  env?: Record<string, string>
  [name: string]: unknown
}

/** The delivered messages, each as `channel seconds+seconds` of its events, with `at seconds` if it was held. */
function told(
  steps: readonly Step[],
  { client = 'claude', isAtTerminal, isHeadless, env = {}, ...config }: Settings = {},
  more: Options = {},
) {
  const events = steps.map(([seconds, payload]): EnrichedEvent => {
    const at = start + seconds * 1000
    const event = parsePayload({ session_id: 's1', ...payload }, { client, at, env })
    const did = { tools: {}, files: [], commands: [] }
    const around = { project: 'shop', branch: '', title: '', firstPrompt: '', tokens: undefined }
    const asks = asksAtEnd(event.lastMessage)
    const {
      isInterrupted = false,
      isAtRest = false,
      isRefused,
      isQueued,
      isOfSubagent,
    } = payload as Record<string, boolean>
    const { durationMs = event.durationMs } = payload as { durationMs?: number }
    return {
      ...event,
      ...around,
      durationMs,
      id: `${seconds}`,
      did,
      isAtTerminal,
      isHeadless,
      asks,
      isInterrupted,
      isAtRest,
      ...(isOfSubagent && { isOfSubagent }),
      ...(isRefused && { means: 'StopRefused' }),
      ...(isQueued && { means: 'StopQueued' }),
    }
  })
  const { pings } = runTimeline(events, { ...more, config })
  return pings.map(({ channel, events: ids, at }) => {
    const seconds = (at - start) / 1000
    const when = seconds === Number(ids.at(-1)) ? '' : ` at ${seconds}`
    return `${channel} ${ids.join('+')}${when}`
  })
}

const byDefault = (steps: readonly Step[], client = 'claude') => told(steps, { client })

it('the rules that can be switched off are those against noise', () => {
  expect(noiseRules).toEqual(allPolicies.filter(({ isNoise }) => isNoise).map(({ name }) => name))
})

describe('docs/noise.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/noise.md'), 'utf8')
  const [, table = ''] = /## The rules([\s\S]*?)\n## /.exec(page) ?? []
  const rows = [...table.matchAll(/^\| `([a-z-]+)` +\| (.*) \|$/gm)]

  it('lists all rules in their order', () => {
    expect(rows.map(([, name]) => name)).toEqual(allPolicies.map(({ name }) => name))
  })

  it('says which rules cannot be switched off', () => {
    const fixed = rows.filter(([row]) => row.includes('cannot be switched off'))
    expect(fixed.map(([, name]) => name)).toEqual(
      allPolicies.filter(({ isNoise }) => !isNoise).map(({ name }) => name),
    )
  })
})

describe('the rule', () => {
  it('`repeats` delivers the notification of a question to channels that did not get the request', () => {
    const routes = [
      { on: ['PermissionRequest'], to: ['desk'] },
      { on: ['Notification'], to: ['phone'] },
    ]
    expect(
      told(
        [
          [0, request],
          [6, notice],
        ],
        { channels, routes },
      ),
    ).toEqual(['desk 0', 'phone 6'])
  })

  it('`repeats` delivers the notification of a question whose request was suppressed', () => {
    const steps: Step[] = [
      [0, request],
      [6, notice],
    ]
    const mutes = (now: number) =>
      now < start + 3000 ? [{ until: 0, questions: true as const }] : []
    expect(told(steps, {}, { mutes })).toEqual(['desktop 6'])
  })

  it('`repeats` drops the same turn of codex within ten seconds, and no other', () => {
    const after = (seconds: number, first?: string, again = first) =>
      byDefault(
        [
          [0, prompt],
          [60, { ...stop, turn_id: first }],
          [60 + seconds, { ...stop, turn_id: again }],
        ],
        'codex',
      )
    expect(after(10, 't1')).toEqual(['desktop 60'])
    expect(after(10.5, 't1')).toEqual(['desktop 60', 'desktop 70.5'])
    expect(after(5, 't1', 't2')).toEqual(['desktop 60', 'desktop 65'])
    expect(after(5)).toEqual(['desktop 60', 'desktop 65'])
  })

  it('`repeats` does not treat an event that is judged again as a repeat of itself', () => {
    const end: Step = [60, { ...stop, turn_id: 't1' }]
    expect(byDefault([[0, prompt], end, end], 'codex')).toEqual(['desktop 60', 'desktop 60'])
  })

  it('`idle` delivers an idle prompt if the end of the turn was not delivered or did not happen', () => {
    const routes = [
      { on: ['done'], to: ['desk'] },
      { on: ['waiting'], to: ['desk', 'phone'] },
    ]
    const steps: Step[] = [
      [0, prompt],
      [60, stop],
      [120, idle],
    ]
    expect(told(steps, { channels, routes })).toEqual(['desk 60', 'phone 120'])
    expect(
      byDefault([
        [0, prompt],
        [60, idle],
      ]),
    ).toEqual(['desktop 60'])
  })

  it('`idle` delivers a notice that says what it waits for, even after the end of the turn was delivered', () => {
    const notice = (notification_type: string) => ({ ...idle, notification_type })
    const turn = (event: object): Step[] => [
      [0, prompt],
      [60, event],
    ]
    expect(byDefault([...turn(stop), [90, notice('agent_needs_input')]])).toEqual([
      'desktop 60',
      'desktop 90',
    ])
    const pushed = { ...notice('push_notification'), message: 'The build is red' }
    expect(
      byDefault([
        [0, prompt],
        [30, pushed],
      ]),
    ).toEqual(['desktop 30'])
    const failure = { hook_event_name: 'StopFailure', error: 'rate_limit' }
    expect(byDefault([...turn(failure), [90, notice('quota_auto_resume_stale')]])).toEqual([
      'desktop 60',
      'desktop 90',
    ])
  })

  it('`repeats` drops the notice of a question of another agent of the team, if its request was delivered', () => {
    const worker = { ...notice, notification_type: 'worker_permission_prompt' }
    expect(byDefault([[1, worker]])).toEqual(['desktop 1'])
    expect(
      byDefault([
        [0, request],
        [1, worker],
      ]),
    ).toEqual(['desktop 0'])
  })

  it('`idle` drops a held notice if the session ended meanwhile', () => {
    const quietHours = [{ from: '09:01', to: '10:00', timeZone: 'UTC' }]
    const steps: Step[] = [
      [0, prompt],
      [68, idle],
    ]
    const held = (...rest: Step[]) => told([...steps, ...rest], { noise: { quietHours } })
    expect(held()).toEqual(['desktop 68 at 3600'])
    expect(held([90, { ...end, reason: 'logout' }])).toEqual([])
  })

  it('`ends` does not take the end of a session for a crash if a person had stopped its turn', () => {
    const steps = (isInterrupted: boolean): Step[] => [
      [0, prompt],
      [60, { ...end, isInterrupted }],
    ]
    expect(byDefault(steps(true))).toEqual([])
    expect(byDefault(steps(false))).toEqual(['desktop 60'])
  })

  const waking = (schedule: string, recurring = false) => ({
    ...{ ...stop, session_crons: [{ id: 'c1', schedule, recurring, prompt: 'Look' }] },
  })
  const untilTen = waking('10 9 * * *')

  it('`goes-on` drops a turn after which the agent continues as scheduled, but not the last turn', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, untilTen],
      [600, ownPrompt],
    ]
    const later = waking('20 9 * * *')
    expect(byDefault([...steps, [605, stop]])).toEqual(['desktop 605'])
    expect(byDefault([...steps, [1100, stop]])).toEqual(['desktop 1100'])
    expect(byDefault([...steps, [605, later], [1200, ownPrompt], [1205, stop]])).toEqual([
      'desktop 1205',
    ])
  })

  it('`goes-on` delivers a turn after which the agent does not continue as scheduled', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, untilTen],
    ]
    expect(byDefault(steps)).toEqual(['desktop 60 at 720'])
    expect(byDefault([...steps, [90, end]])).toEqual([])
    expect(byDefault([...steps, [90, prompt]])).toEqual([])
    // A prompt of a person began this turn, and the agent is scheduled as before.
    expect(byDefault([...steps, [90, prompt], [150, untilTen]])).toEqual(['desktop 150'])
    expect(byDefault([...steps, [90, prompt], [95, untilTen]])).toEqual([])
  })

  it('`goes-on` delivers a turn at once if its schedule repeats or is far off, if it asks, or if nobody is there', () => {
    const ends = [
      waking('*/5 * * * *'),
      waking('10 9 * * *', true),
      waking('10 11 * * *'),
      { ...untilTen, ...asking },
    ]
    for (const end of ends) {
      const steps: Step[] = [
        [0, prompt],
        [60, end],
      ]
      expect(byDefault(steps)).toEqual(['desktop 60'])
    }
    expect(
      told(
        [
          [0, prompt],
          [60, untilTen],
        ],
        { isHeadless: true },
      ),
    ).toEqual(['desktop 60'])
  })

  it('`ends` does not take the end of a session for a crash if no turn was running', () => {
    const unused = { ...end, isAtRest: true }
    expect(byDefault([[60, end]])).toEqual(['desktop 60'])
    expect(byDefault([[60, unused]])).toEqual([])
    expect(byDefault([[60, { ...unused, reason: 'error' }]])).toEqual(['desktop 60'])
    expect(told([[60, unused]], { isHeadless: true })).toEqual(['desktop 60'])
    // In a terminal, droid reports the end twice.
    const twice: Step[] = [
      [60, unused],
      [60.3, unused],
    ]
    expect(byDefault(twice, 'droid')).toEqual([])
    const killed: Step[] = [
      [0, prompt],
      [60, end],
      [60.1, end],
      [60.4, { hook_event_name: 'Interrupt' }],
    ]
    expect(byDefault(killed, 'droid')).toEqual(['desktop 60'])
    const used: Step[] = [
      [0, prompt],
      [60, unused],
    ]
    expect(byDefault(used)).toEqual(['desktop 60'])
  })

  it('`ends` does not take the end of a session for a crash if it was resumed and nothing was asked', () => {
    const killed: Step[] = [
      [0, prompt],
      [60, end],
    ]
    expect(byDefault([...killed, [600, end]], 'droid')).toEqual(['desktop 60'])
    // `/new` in such a session causes two ends: one of the session, and a later one of the process.
    const cleared: Step[] = [...killed, [600, { ...end, reason: 'clear' }], [606, end]]
    expect(byDefault(cleared, 'droid')).toEqual(['desktop 60'])
    expect(byDefault([...killed, [600, prompt], [660, end]], 'droid')).toEqual([
      'desktop 60',
      'desktop 660',
    ])
    expect(byDefault([...killed, [600, { ...end, reason: 'error' }]], 'droid')).toHaveLength(2)
    expect(told([...killed, [600, end]], { client: 'droid', isHeadless: true })).toHaveLength(2)
  })

  it('`idle` drops an idle prompt after a person stopped the turn', () => {
    expect(
      byDefault([
        [0, prompt],
        [5, { hook_event_name: 'Interrupt' }],
        [60, idle],
      ]),
    ).toEqual([])
    expect(
      byDefault([
        [0, prompt],
        [5, { hook_event_name: 'Interrupt' }],
        [10, prompt],
        [70, idle],
      ]),
    ).toEqual(['desktop 70'])
  })

  it('`idle` delivers an idle prompt of the turn after the one whose end was delivered', () => {
    expect(
      byDefault([
        [0, prompt],
        [60, stop],
        [70, prompt],
        [130, idle],
      ]),
    ).toEqual(['desktop 60', 'desktop 130'])
  })

  it('`idle` drops an idle prompt after a person stopped the turn, if only the transcript shows it', () => {
    expect(
      byDefault([
        [0, prompt],
        [60, { ...idle, isInterrupted: true }],
      ]),
    ).toEqual([])
  })

  it('`idle` drops the notice that qwen gives at once when a person cancels its question', () => {
    const steps: Step[] = [
      [0, prompt],
      [20, request],
      [30, idle],
    ]
    expect(byDefault(steps, 'qwen')).toEqual(['desktop 20'])
    expect(byDefault(steps)).toEqual(['desktop 20', 'desktop 30'])
  })

  it('`idle` holds the notice that qwen gives at once when a person stops a turn', () => {
    const after = (...steps: Step[]) => byDefault([[0, prompt], [30, idle], ...steps], 'qwen')
    const quit = { ...end, reason: 'prompt_input_exit' }
    const failure = { hook_event_name: 'StopFailure' }
    expect(after()).toEqual(['desktop 30 at 90'])
    expect(after([80, prompt])).toEqual([])
    expect(after([80, quit])).toEqual([])
    expect(after([30.01, failure])).toEqual(['desktop 30.01'])
    expect(byDefault([[30, idle]], 'qwen')).toEqual(['desktop 30 at 90'])
    expect(after([80, prompt], [85, idle])).toEqual(['desktop 85 at 145'])
  })

  it('`idle` delivers an idle prompt only after a turn that was not delivered, unless it was short and asked nothing', () => {
    const short = (end: object): Step[] => [
      [0, prompt],
      [8, end],
      [68, idle],
    ]
    expect(byDefault(short(asking))).toEqual(['desktop 8 at 68'])
    expect(byDefault(short(stop))).toEqual([])
    const long: Step[] = [
      [0, prompt],
      [20, stop],
      [80, idle],
    ]
    const mutes = (now: number) =>
      now < start + 30_000 ? [{ until: 0, questions: true as const }] : []
    expect(told(long, {}, { mutes })).toEqual(['desktop 80'])
    expect(told(short(stop), {}, { mutes })).toEqual([])
    expect(told(short(asking), {}, { mutes })).toEqual(['desktop 68'])
    expect(
      byDefault([
        [0, prompt],
        [60, asking],
        [120, idle],
      ]),
    ).toEqual(['desktop 60'])
  })

  it('`goes-on` delivers a turn at once if it asks, or after five minutes if a server still runs', () => {
    const turn = (end: object, ...rest: Step[]): Step[] => [
      [0, prompt],
      [60, { ...end, ...tasks(1) }],
      ...rest,
    ]
    expect(byDefault(turn(asking))).toEqual(['desktop 60'])
    expect(told(turn(stop))).toEqual(['desktop 60 at 360'])
    expect(told(turn(stop, [120, idle]))).toEqual(['desktop 60 at 120'])
    expect(told(turn(stop, [120, idle], [300, idle]))).toEqual(['desktop 60 at 120'])
    expect(byDefault(turn(stop, [200, prompt], [220, stop]))).toEqual(['desktop 220'])
    expect(byDefault(turn(stop, [70, { ...end, reason: 'logout' }]))).toEqual([])
    // Some clients report no prompt when a finished task continues the session.
    expect(byDefault(turn(stop, [220, stop]))).toEqual(['desktop 220'])
    const again: Step = [220, { ...stop, ...tasks(1) }]
    expect(told(turn(stop, again))).toEqual(['desktop 220 at 300'])
    // A prompt of the same moment does not prove that a person saw the end of the turn.
    expect(told(turn(stop, [60, prompt]))).toEqual(['desktop 60 at 360'])
  })

  it('`goes-on` delivers at once a turn that reports that tasks are over, if no agent is left', () => {
    const turn: Step[] = [
      [0, prompt],
      [60, { ...stop, ...tasks(2) }],
      [100, ownPrompt],
    ]
    expect(told([...turn, [101, { ...stop, ...tasks(1) }]])).toEqual(['desktop 101'])
  })

  it('`goes-on` waits for the turn that follows agents or a schedule, for two hours at most', () => {
    const turn: Step[] = [
      [0, prompt],
      [60, { ...stop, background_tasks: [{ type: 'subagent' }] }],
      [100, ownPrompt],
    ]
    expect(told(turn)).toEqual(['desktop 60 at 7300'])
    expect(told([...turn, [4000, stop]])).toEqual(['desktop 4000'])
    expect(told([...turn, [4000, { hook_event_name: 'Interrupt' }]])).toEqual([])
    const others: Step[] = [
      [0, prompt],
      [60, { ...stop, ...tasks(1) }],
      [100, ownPrompt],
    ]
    expect(told(others)).toEqual(['desktop 60 at 360'])
    const asks: Step[] = [
      [0, prompt],
      [8, asking],
      [20, ownPrompt],
    ]
    expect(told(asks)).toEqual(['desktop 8 at 68'])
  })

  it('`goes-on` delivers the last turn in five minutes of a task that wakes the agent again and again', () => {
    const wake = (at: number): Step[] => [
      [at, ownPrompt],
      [at + 3, { ...stop, ...tasks(1) }],
    ]
    const turn: Step[] = [
      [0, prompt],
      [60, { ...stop, ...tasks(1) }],
    ]
    const times = [100, 150, 210, 270, 350, 420, 590, 620]
    expect(told([...turn, ...times.flatMap(wake)])).toEqual([
      'desktop 273 at 300',
      'desktop 593 at 600',
      'desktop 623 at 900',
    ])
    // Nothing has woken it for a minute.
    expect(told([...turn, ...wake(100), [163, idle]])).toEqual(['desktop 103 at 163'])
  })

  it('`short-turns` delivers the turn in which droid reports that a background task is over', () => {
    const over = {
      ...prompt,
      message_id: 'task-completion:1',
      prompt: 'Background task completed.',
    }
    const turn: Step[] = [
      [0, prompt],
      [3, stop],
      [600, over],
      [601, stop],
    ]
    expect(byDefault(turn, 'droid')).toEqual(['desktop 601'])
    expect(byDefault([...turn, [610, prompt], [611, stop]], 'droid')).toEqual(['desktop 601'])
  })

  it('`short-turns` counts a turn that the client began by itself from when a person last wrote', () => {
    const turn = (end: object): Step[] => [
      [0, prompt],
      [60, stop],
      [600, ownPrompt],
      [605, end],
      [665, idle],
    ]
    expect(byDefault(turn(stop))).toEqual(['desktop 60', 'desktop 605'])
    expect(byDefault(turn(asking))).toEqual(['desktop 60', 'desktop 605'])
    const soon: Step[] = [
      [0, prompt],
      [5, stop],
      [8, ownPrompt],
    ]
    expect(byDefault([...soon, [10, stop]])).toEqual([])
    expect(byDefault([...soon, [16, stop]])).toEqual(['desktop 16'])
  })

  it('`short-turns` delivers a question although a turn that the client began by itself follows', () => {
    const turn = (...rest: Step[]): Step[] => [[0, prompt], [8, asking], [20, ownPrompt], ...rest]
    expect(byDefault(turn([21, stop]))).toEqual(['desktop 21', 'desktop 8 at 68'])
    expect(byDefault(turn([21, asking]))).toEqual(['desktop 21'])
    const refused = { ...asking, isRefused: true }
    const queued = { ...asking, isQueued: true }
    expect(byDefault(turn([21, refused], [90, stop]))).toEqual(['desktop 8 at 68', 'desktop 90'])
    expect(byDefault(turn([21, queued], [90, stop]))).toEqual(['desktop 8 at 68', 'desktop 90'])
    expect(byDefault(turn([21, stop], [30, prompt]))).toEqual(['desktop 21'])
  })

  it('`short-turns` counts from the beginning of the work, whatever a person writes meanwhile', () => {
    const hint: Step[] = [
      [0, prompt],
      [1790, prompt],
    ]
    expect(byDefault([...hint, [1800, stop]])).toEqual(['desktop 1800'])
    expect(byDefault([...hint, [1800, stop], [1810, prompt], [1815, stop]])).toEqual([
      'desktop 1800',
    ])
    // A person stopped the turn, which only the transcript shows, and wrote something else.
    const stopped: Step = [1790, { ...prompt, isInterrupted: true }]
    expect(byDefault([[0, prompt], stopped, [1800, stop]])).toEqual([])
    expect(byDefault([[0, prompt], stopped, [1798, prompt], [1810, stop]])).toEqual([
      'desktop 1810',
    ])
  })

  it('`steps` delivers a later step although the client continued by itself', () => {
    const routes = [{ on: ['failed'], steps: [{ to: ['desk'] }, { after: '5m', to: ['phone'] }] }]
    const steps: Step[] = [
      [0, prompt],
      [60, { hook_event_name: 'StopFailure', error: 'overloaded' }],
      [90, ownPrompt],
    ]
    expect(told(steps, { channels, routes })).toEqual(['desk 60', 'phone 60 at 360'])
  })

  it('`goes-on` delivers only the real end of a turn that hooks did not let end', () => {
    const refused = { ...stop, isRefused: true }
    const steps: Step[] = [
      [0, prompt],
      [60, refused],
      [200, refused],
      [400, stop],
    ]
    expect(told(steps)).toEqual(['desktop 400'])
    expect(told(steps, { noise: { off: ['goes-on'] } })).toHaveLength(3)
  })

  it('`goes-on` delivers the turn after two hours if nothing else came, unless the session ended', () => {
    const refused = { ...stop, isRefused: true }
    const steps: Step[] = [
      [0, prompt],
      [60, refused],
    ]
    expect(told(steps)).toEqual(['desktop 60 at 7260'])
    expect(told([...steps, [200, refused]])).toEqual(['desktop 200 at 7400'])
    expect(told([...steps, [100, end]])).toEqual(['desktop 100'])
    expect(told([...steps, [100, prompt]])).toEqual([])
  })

  it('`goes-on` drops no turn before the one that hooks did not let end', () => {
    const refused = { ...stop, isRefused: true }
    const steps: Step[] = [
      [0, prompt],
      [60, stop],
      [600, ownPrompt],
      [604, refused],
    ]
    const quietHours = [{ from: '09:00', to: '10:00', timeZone: 'UTC' }]
    expect(told(steps, { noise: { quietHours } })).toEqual([
      'desktop 60 at 3600',
      'desktop 604 at 7804',
    ])
    expect(told([...steps, [608, stop]], { noise: { quietHours } })).toEqual([
      'desktop 608 at 3600',
    ])
  })

  it('`goes-on` delivers only the last turn, if the turns before it ended with a queued prompt', () => {
    const followed = { ...asking, isQueued: true }
    const steps: Step[] = [
      [0, prompt],
      [60, followed],
      [61, prompt],
      [200, followed],
      [400, stop],
    ]
    expect(told(steps)).toEqual(['desktop 400'])
    expect(told(steps, { noise: { off: ['goes-on'] } })).toHaveLength(3)
  })

  it('`goes-on` delivers the turn after two hours if nothing else came', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, { ...stop, isQueued: true }],
    ]
    expect(told(steps)).toEqual(['desktop 60 at 7260'])
    // This is the queued prompt, which many clients report only when its turn begins.
    expect(told([...steps, [61, prompt]])).toEqual(['desktop 60 at 7260'])
    expect(told([...steps, [61, prompt], [7200, stop]])).toEqual(['desktop 7200'])
    const left = { hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' }
    const failed = { hook_event_name: 'StopFailure', error: 'overloaded' }
    expect(told([...steps, [100, prompt]])).toEqual([])
    expect(told([...steps, [100, left]])).toEqual([])
    expect(told([...steps, [100, failed]])).toEqual(['desktop 100'])
    expect(told([...steps, [120, { ...idle, isInterrupted: true }]])).toEqual([])
    const stopped = { hook_event_name: 'Interrupt' }
    expect(told([...steps, [61, prompt], [70, stopped]], { client: 'codex' })).toEqual([])
    const short: Step[] = [
      [0, prompt],
      [4, { ...stop, isQueued: true }],
    ]
    expect(told(short)).toEqual([])
    expect(told([...short, [8, stop]])).toEqual([])
  })

  it('`repeats` recognizes the idle notice of qwen after a turn that ended with a queued prompt', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, { ...stop, isQueued: true }],
      [60.3, idle],
      [61, prompt],
    ]
    expect(told(steps, { client: 'qwen' })).toEqual(['desktop 60 at 7260'])
    expect(told([...steps, [200, stop]], { client: 'qwen' })).toEqual(['desktop 200'])
  })

  it('`repeats` recognizes the second report of a turn that ended with a queued prompt', () => {
    const steps: Step[] = [
      [0, { ...prompt, turn_id: 'u1' }],
      [60, { ...stop, turn_id: 'u1', isQueued: true }],
      // The second report comes by `notify`, after the next prompt was written.
      [60.2, { ...stop, turn_id: 'u1' }],
      [100, { ...stop, turn_id: 'u2' }],
    ]
    expect(told(steps, { client: 'codex' })).toEqual(['desktop 100'])
  })

  it('`short-turns` counts from the start of earlier turns that ended with a queued prompt', () => {
    const followed = { ...stop, isQueued: true }
    const long: Step[] = [
      [0, prompt],
      [600, followed],
    ]
    expect(told([...long, [605, stop]])).toEqual(['desktop 605'])
    expect(told([...long, [601, prompt], [605, stop]])).toEqual(['desktop 605'])
    expect(told([...long, [601, prompt], [603, followed], [605, stop]])).toEqual(['desktop 605'])
    // A person stopped the turn that followed, and wrote another prompt.
    const stopped = { ...prompt, isInterrupted: true }
    expect(told([...long, [1000, stopped], [1005, stop]])).toEqual([])
    // Claude Code reports a prompt when it is typed.
    const typed: Step[] = [
      [0, prompt],
      [598, prompt],
      [600, followed],
      [605, stop],
    ]
    expect(told(typed)).toEqual(['desktop 605'])
    expect(
      told([
        [600, followed],
        [605, stop],
      ]),
    ).toEqual(['desktop 605'])
  })

  it('`ends` and `idle` deliver what comes instead of the turn of a queued prompt', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, { ...stop, isQueued: true }],
    ]
    expect(told([...steps, [100, end]])).toEqual(['desktop 100'])
    expect(told([...steps, [120, idle]])).toEqual(['desktop 120'])
    expect(told([...steps, [100, stop], [160, idle]])).toEqual(['desktop 100'])
  })

  it('`cooldown` does not count a turn that ended with a queued prompt', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, { ...stop, isQueued: true }],
      [100, stop],
    ]
    expect(told(steps, { noise: { cooldownSeconds: 60 } })).toEqual(['desktop 100'])
  })

  it('`cooldown` does not count a turn that hooks did not let end', () => {
    const refused = { ...stop, isRefused: true }
    const steps: Step[] = [
      [0, prompt],
      [60, refused],
      [70, stop],
    ]
    expect(told(steps, { noise: { cooldownSeconds: 60 } })).toEqual(['desktop 70'])
  })

  it.each([
    ['tasks', { backgroundTasks: 1 }, 5],
    ['agents', { backgroundTasks: 1, backgroundAgents: 1 }, 10],
    ['a prompt that waits', { means: 'StopQueued' }, 120],
  ])(
    '`goes-on` counts the minutes for %s from the time at which a late worker judges the turn',
    (_, more, minutes) => {
      const event = { kind: 'done', at: start, ...more }
      const now = start + 600_000
      const verdict = goesOn.judge(event as never, {} as never, null, { now } as never)
      expect(verdict).toMatchObject({ type: 'hold', until: now + minutes * 60_000 })
    },
  )

  it('`goes-on` does not wait for the tasks of a one-shot run, which may end before them', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, { ...stop, ...tasks(1) }],
      [61, end],
    ]
    expect(told(steps, { isHeadless: true })).toEqual(['desktop 60'])
  })

  it('`goes-on` tells of a turn of Codex when its sub-agents are over, or after ten minutes', () => {
    const inCodex = (...steps: Step[]) => told(steps, { client: 'codex' })
    const agent = { background_tasks: [{ id: 'a1', type: 'subagent' }] }
    const start: Step[] = [
      [0, prompt],
      [60, { ...stop, ...agent, turn_id: 'u1' }],
    ]
    expect(inCodex(...start)).toEqual(['desktop 60 at 660'])
    // The end of the last one counts as that of the turn, as its transcript shows.
    expect(inCodex(...start, [300, stop])).toEqual(['desktop 300'])
    expect(inCodex(...start, [900, stop])).toEqual(['desktop 60 at 660', 'desktop 900'])
    const next: Step = [160, { ...stop, ...agent, turn_id: 'u2' }]
    expect(inCodex(...start, [100, prompt], next, [300, stop])).toEqual([
      'desktop 160',
      'desktop 300',
    ])
  })

  it('`goes-on` waits ten minutes for an agent, whatever the client says meanwhile', () => {
    const agent = { background_tasks: [{ id: 'a1', type: 'subagent', status: 'running' }] }
    const steps: Step[] = [
      [0, prompt],
      [60, { ...stop, ...agent }],
    ]
    expect(told([...steps, [120, idle]])).toEqual(['desktop 60 at 660'])
    expect(told(steps, { isHeadless: true })).toEqual(['desktop 60 at 660'])
    expect(told([...steps, [100, end]])).toEqual([])
    // Nobody closes a one-shot run.
    expect(told([...steps, [100, end]], { isHeadless: true })).toEqual(['desktop 60 at 100'])
  })

  it('`goes-on` takes a teammate that was there before for no sign that more follows', () => {
    const mate = { background_tasks: [{ id: 'p1', type: 'in_process_teammate' }] }
    const report = {
      ...prompt,
      prompt: '<teammate-message teammate_id="a">Done</teammate-message>',
    }
    const team: Step[] = [
      [0, prompt],
      [30, { ...stop, ...mate }],
    ]
    expect(told([...team, [90, idle]])).toEqual(['desktop 30 at 630'])
    const reported: Step[] = [...team, [500, report], [520, { ...stop, ...mate }]]
    expect(told([...reported, [580, idle]])).toEqual(['desktop 520 at 580'])
    expect(told(reported)).toEqual(['desktop 520 at 600'])
    // The client does not tell when such a turn begins.
    expect(told([...team, [520, { ...stop, ...mate }], [580, idle]])).toEqual([
      'desktop 520 at 580',
    ])
    expect(told([...team, [500, prompt], [520, { ...stop, ...mate }]])).toEqual(['desktop 520'])
  })

  it('`goes-on` waits only for agents that the turn of a person has started', () => {
    const agents = (count: number) => ({
      background_tasks: Array(count).fill({ type: 'subagent', status: 'running' }),
    })
    const person = (count: number): Step[] => [
      [0, prompt],
      [20, { ...stop, ...agents(2) }],
      [60, prompt],
      [660, { ...stop, ...agents(count) }],
    ]
    expect([0, 1, 2, 3].map((count) => told(person(count)))).toEqual([
      ...Array(3).fill(['desktop 660']),
      ['desktop 660 at 1260'],
    ])
    // The client began the turn because one of them was over.
    const own: Step[] = [
      [0, prompt],
      [20, { ...stop, ...agents(2) }],
      [60, ownPrompt],
      [80, { ...stop, ...agents(1) }],
    ]
    expect(told(own)).toEqual(['desktop 80 at 680'])
    expect(told([...own, [300, ownPrompt], [320, stop]])).toEqual(['desktop 320'])
  })

  it('`goes-on` does not wait for tasks that ran before the turn began', () => {
    const server: Step[] = [
      [0, prompt],
      [60, { ...stop, ...tasks(1) }],
      [100, prompt],
      [160, { ...stop, ...tasks(1) }],
    ]
    expect(byDefault(server)).toEqual(['desktop 160'])
    const failed: Step[] = [...server.slice(0, 3), [130, { hook_event_name: 'StopFailure' }]]
    expect(byDefault([...failed, [140, prompt], [200, { ...stop, ...tasks(1) }]])).toEqual([
      'desktop 130',
      'desktop 200',
    ])
    const more: Step[] = [...server.slice(0, 3), [160, { ...stop, ...tasks(2) }]]
    expect(told(more)).toEqual(['desktop 160 at 460'])
  })

  it('`goes-on` delivers the result of an agent although a server still runs', () => {
    const running = (...types: string[]) => ({
      background_tasks: types.map((type, index) => ({ id: `${index}`, type })),
    })
    const turn = (...types: string[]) => ({ ...stop, ...running(...types) })
    const steps: Step[] = [
      [0, prompt],
      [60, turn('shell', 'subagent')],
      [200, ownPrompt],
    ]
    expect(told([...steps, [203, turn('shell')]])).toEqual(['desktop 203'])
    // The agent had finished, and the turn that followed started another one.
    expect(told([...steps, [203, turn('shell', 'subagent')]])).toEqual(['desktop 203 at 803'])
    // An agent runs where a server ran before.
    const agent: Step[] = [
      [0, prompt],
      [60, turn('shell')],
      [100, prompt],
    ]
    expect(told([...agent, [160, turn('subagent')]])).toEqual(['desktop 160 at 760'])
  })

  it('`ends` reports a crash, but not an ordinary end after a finished turn', () => {
    expect(
      byDefault([
        [0, prompt],
        [60, end],
      ]),
    ).toEqual(['desktop 60'])
    expect(byDefault([[60, end]])).toEqual(['desktop 60'])
    expect(
      byDefault([
        [0, prompt],
        [60, stop],
        [61, end],
      ]),
    ).toEqual(['desktop 60'])
    expect(
      byDefault([
        [0, prompt],
        [60, stop],
        [61, { ...end, reason: 'error' }],
      ]),
    ).toEqual(['desktop 60'])
    expect(
      byDefault([
        [0, prompt],
        [60, stop],
        [70, prompt],
        [80, end],
      ]),
    ).toEqual(['desktop 60', 'desktop 80'])
    expect(
      byDefault(
        [
          [0, prompt],
          [60, end],
        ],
        'codex',
      ),
    ).toEqual([])
  })

  it('`ends` reports a one-shot run of codex that broke off, although codex gives every end the same reason', () => {
    const failing: Step[] = [
      [0, prompt],
      [60, end],
    ]
    expect(told(failing, { client: 'codex', isHeadless: true })).toEqual(['desktop 60'])
    expect(told(failing, { client: 'codex' })).toEqual([])
    const done: Step[] = [
      [0, prompt],
      [60, stop],
      [61, end],
    ]
    expect(told(done, { client: 'codex', isHeadless: true })).toEqual(['desktop 60'])
  })

  it('`ends` follows the configured list of abnormal reasons', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, stop],
      [61, end],
    ]
    expect(told(steps, { abnormalReasons: ['other'] })).toEqual(['desktop 60', 'desktop 61'])
  })

  it('`ends` reports a failure once, for the turn or for the end of the session', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, { hook_event_name: 'StopFailure', error: 'server_error' }],
      [61, end],
    ]
    expect(byDefault(steps)).toEqual(['desktop 60'])
    const routes = [{ on: ['abnormal-end'], to: ['desktop'] }]
    expect(told(steps, { routes })).toEqual(['desktop 61'])
  })

  it('`ends` delivers every end on a route that names it', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, stop],
      [61, end],
    ]
    expect(told(steps, { routes: [{ on: ['*'], to: ['desktop'] }] })).toEqual([
      'desktop 0',
      'desktop 60',
    ])
    const routes = [{ on: ['done', 'ended'], to: ['desktop'] }]
    expect(told(steps, { routes })).toEqual(['desktop 60', 'desktop 61'])
    // The last turn has no report of its own, because the session ended during it.
    const midTurn: Step[] = [...steps.slice(0, 2), [70, prompt], [80, { ...end, reason: 'logout' }]]
    expect(told(midTurn, { routes: [{ on: ['*'], to: ['desktop'] }] })).toContain('desktop 80')
  })

  it('`sub-agents` drops events of sub-agents on a route for "*", but not if a route names them', () => {
    const steps: Step[] = [[0, { hook_event_name: 'SubagentStop' }]]
    expect(told(steps, { routes: [{ on: ['*'], to: ['desktop'] }] })).toEqual([])
    expect(told(steps, { routes: [{ on: ['subagent-done'], to: ['desktop'] }] })).toEqual([
      'desktop 0',
    ])
  })

  it('`sub-agents` drops a failure in the session of a sub-agent, which has another session as its parent', () => {
    const of = (parentID: string): Step[] => [
      [0, { hook_event_name: 'session.created', parentID }],
      [60, { hook_event_name: 'session.error' }],
    ]
    expect(byDefault(of('s0'), 'opencode')).toEqual([])
    expect(byDefault(of('s1'), 'opencode')).toEqual(['desktop 60'])
  })

  it('`sub-agents` delivers a question in the session of a sub-agent', () => {
    const steps: Step[] = [
      [0, { hook_event_name: 'session.created', parentID: 's0' }],
      [60, { hook_event_name: 'permission.asked', id: 'a', permission: 'bash' }],
    ]
    expect(byDefault(steps, 'opencode')).toEqual(['desktop 60 at 61'])
  })

  it.each(['*', 'agent-turn-complete'])(
    '`sub-agents` drops a turn that a client runs only to get a title, on a route for "%s"',
    (on) => {
      const ask = 'Generate a concise, single-line task title'
      const title = { type: 'agent-turn-complete', 'input-messages': [ask] }
      const settings = { client: 'codex', routes: [{ on: [on], to: ['desktop'] }] }
      expect(told([[0, title]], settings)).toEqual([])
      expect(told([[0, { ...title, 'input-messages': ['Go'], client: 'c' }]], settings)).toEqual([
        'desktop 0',
      ])
    },
  )

  it('`short-turns` delivers turns that are not known to be short', () => {
    expect(byDefault([[5, stop]])).toEqual(['desktop 5'])
    expect(
      byDefault([
        [0, prompt],
        [14.9, stop],
      ]),
    ).toEqual([])
    expect(
      byDefault([
        [0, prompt],
        [15, stop],
      ]),
    ).toEqual(['desktop 15'])
    expect(
      told(
        [
          [0, prompt],
          [5, stop],
        ],
        { noise: { minSeconds: 0 } },
      ),
    ).toEqual(['desktop 5'])
  })

  it('`short-turns` delivers a question after a minute, whether the client reports that it waits or not', () => {
    const short: Step[] = [
      [0, prompt],
      [8, asking],
    ]
    const late = (steps: Step[], client: string, settings: Settings = {}) =>
      told(steps, { client, ...settings })
    for (const client of ['claude', 'codex', 'droid', 'gemini', 'copilot', 'unknown']) {
      expect(late(short, client)).toEqual(['desktop 8 at 68'])
    }
    // qwen's notice comes at once with the end of the turn.
    expect(late([...short, [8.05, idle]], 'qwen')).toEqual(['desktop 8 at 68'])
    expect(late([...short, [68, idle]], 'claude')).toEqual(['desktop 8 at 68'])
    expect(late([...short, [20, prompt]], 'codex')).toEqual([])
    expect(late([...short, [20, end]], 'codex')).toEqual([])
    expect(late(short, 'codex', { isHeadless: true })).toEqual([])
    expect(late([short[0] as Step, [8, stop]], 'codex')).toEqual([])
    expect(late([...short, [20, prompt], [50, asking]], 'codex')).toEqual(['desktop 50'])
    expect(late([...short, [20, prompt], [30, asking]], 'codex')).toEqual(['desktop 30 at 90'])
  })

  it('`short-turns` drops a short question in quiet hours if its session has ended, but not a long one', () => {
    const quietHours = [{ from: '09:00', to: '10:00', timeZone: 'UTC' }]
    const turn = (seconds: number): Step[] => [
      [0, prompt],
      [seconds, asking],
      [seconds + 1, end],
    ]
    const settings = { client: 'gemini', noise: { quietHours } }
    expect(told(turn(8), settings)).toEqual([])
    expect(told(turn(60), settings)).toEqual(['desktop 60 at 3600'])
    const off = { client: 'gemini', noise: { quietHours, off: ['short-turns'] } }
    expect(told(turn(8), off)).toEqual(['desktop 8 at 3600'])
  })

  it('`short-turns` counts from the first prompt of the work, even if it is judged after a later one', () => {
    const late: Step[] = [
      [100, prompt],
      [50, prompt],
      [110, stop],
    ]
    expect(byDefault(late)).toEqual(['desktop 110'])
  })

  it('`cooldown` delivers the first turn and restarts its time with every turn', () => {
    const steps: Step[] = [0, 100, 200, 300, 1000].flatMap((at): Step[] => [
      [at, prompt],
      [at + 60, stop],
    ])
    expect(told(steps)).toHaveLength(5)
    expect(told(steps, { noise: { cooldownSeconds: 300 } })).toEqual(['desktop 60', 'desktop 1060'])
    const once = { noise: { cooldownSeconds: 1e10 } }
    expect(told(steps, once)).toEqual(['desktop 60'])
    const asks: Step[] = [
      [0, prompt],
      [60, stop],
      [70, request],
    ]
    expect(told(asks, { noise: { cooldownSeconds: 300 } })).toEqual(['desktop 60', 'desktop 70'])
    const question: Step[] = [
      [0, prompt],
      [60, stop],
      [70, prompt],
      [100, asking],
    ]
    expect(told(question, { noise: { cooldownSeconds: 300 } })).toEqual([
      'desktop 60',
      'desktop 100',
    ])
    // The first notice restarts the time. A notice after the end of a turn only repeats that end, and does not.
    const waits = [60, 300].map((at): Step => [at, idle])
    const ends = [stop, idle].map((event, index): Step => [400 + 60 * index, event])
    const next: Step[] = [...waits, ...ends, [500, prompt], [701, stop]]
    expect(told([[0, prompt], ...next], { noise: { cooldownSeconds: 300 } })).toEqual([
      'desktop 60',
      'desktop 701',
    ])
  })

  it('`at-terminal` drops all but questions if it is on and a person is known to be there', () => {
    const steps: Step[] = [
      [0, prompt],
      [60, stop],
      [70, prompt],
      [80, request],
      [90, { hook_event_name: 'StopFailure' }],
    ]
    const on = { noise: { skipAtTerminal: true } }
    const all = ['desktop 60', 'desktop 80', 'desktop 90']
    expect(told(steps, { ...on, isAtTerminal: true })).toEqual(['desktop 80'])
    expect(told(steps, { ...on, isAtTerminal: false })).toEqual(all)
    expect(told(steps, on)).toEqual(all)
    expect(told(steps, { isAtTerminal: true })).toEqual(all)
    const asks: Step[] = [
      [0, prompt],
      [60, asking],
    ]
    expect(told(asks, { ...on, isAtTerminal: true })).toEqual(['desktop 60 at 120'])
    expect(told([...asks, [70, prompt]], { ...on, isAtTerminal: true })).toEqual([])
    const off = { noise: { skipAtTerminal: true, off: ['at-terminal'] } }
    expect(told(steps, { ...off, isAtTerminal: true })).toEqual(all)
  })

  it('`burst` delivers the first question at once and the rest together, then starts over', () => {
    const steps: Step[] = [0, 0.5, 1.9, 2.1, 2.2, 10].map((at) => [at, request])
    expect(byDefault(steps)).toEqual([
      'desktop 0',
      'desktop 0.5+1.9 at 2',
      'desktop 2.1',
      'desktop 2.2 at 4.1',
      'desktop 10',
    ])
  })

  it('`burst` holds nothing but questions, and none with `burstSeconds: 0`', () => {
    const failed = { hook_event_name: 'StopFailure', error: 'server_error' }
    const one: Step = [0, request]
    expect(byDefault([one, [0.5, failed]])).toEqual(['desktop 0', 'desktop 0.5'])
    const noise = { burstSeconds: 0 }
    expect(told([one, [0, request], [0.5, request]], { noise })).toEqual([
      'desktop 0',
      'desktop 0',
      'desktop 0.5',
    ])
  })

  it('`burst` does not hold a question because of a later one that was judged before it', () => {
    const asked = (...times: number[]) => told(times.map((at) => [at, request]))
    expect(asked(10, 5)).toEqual(['desktop 10', 'desktop 5'])
    expect(asked(1, 0, 2.5)).toEqual(['desktop 1', 'desktop 0', 'desktop 2.5'])
  })

  it('`burst` does not combine the questions of two sessions', () => {
    const steps = [0, 0.5].flatMap((at): Step[] => [
      [at, request],
      [at, { ...request, session_id: 's2' }],
    ])
    expect(byDefault(steps)).toEqual([
      'desktop 0',
      'desktop 0',
      'desktop 0.5 at 2',
      'desktop 0.5 at 2',
    ])
  })

  it('`burst` delivers each question by itself to a channel without summaries', () => {
    const hook = { hook: { type: 'webhook', url: 'https://example.com/hook' } }
    const steps: Step[] = [0, 0.5, 1].map((at) => [at, request])
    expect(told(steps, { channels: hook })).toEqual(['hook 0', 'hook 0.5 at 2', 'hook 1 at 2'])
  })

  it('`repeats` delivers one call of a tool once, however many events announce it', () => {
    const call = (at: number, payload: object, tool_use_id: string): Step => [
      at,
      { tool_name: 'Bash', ...payload, tool_use_id },
    ]
    // The request of the others is no question yet.
    const asking = clientNames.filter(
      (client) => parsePayload(request, { client }).kind === 'permission',
    )
    expect(asking).toContain('claude')
    for (const client of asking) {
      const two = (apart: number, second: string) =>
        told([call(0, request, 't1'), call(apart, request, second)], {
          ...{ client, isHeadless: false, noise: { burstSeconds: 0, off: ['answered-at-once'] } },
        })
      // Later it is a reminder: the question has waited behind another one.
      expect([client, two(14, 't1')]).toEqual([client, ['desktop 0']])
      expect([client, two(16, 't1')]).toEqual([client, ['desktop 0', 'desktop 16']])
      expect([client, two(14, 't2')]).toEqual([client, ['desktop 0', 'desktop 14']])
      expect([client, two(14, '')]).toEqual([client, ['desktop 0', 'desktop 14']])
    }
  })

  it.each(['claude-vscode', 'cli', ''])(
    '`repeats` delivers a question once, in every version of Claude Code and in %j',
    (CLAUDE_CODE_ENTRYPOINT) => {
      const asks = { tool_name: 'AskUserQuestion' }
      const call: Step = [0, { ...asks, hook_event_name: 'PreToolUse', tool_use_id: 't1' }]
      const asked: Step = [0.2, { ...asks, hook_event_name: 'PermissionRequest' }]
      const noticed: Step = [
        6,
        { ...notice, message: 'Claude needs your permission to use AskUserQuestion' },
      ]
      const next: Step = [5, { ...call[1], tool_use_id: 't2' }]
      const inside = (...steps: Step[]) => told(steps, { env: { CLAUDE_CODE_ENTRYPOINT } })
      expect(inside(call)).toEqual(['desktop 0'])
      expect(inside(call, asked, noticed)).toEqual(['desktop 0'])
      expect(inside(asked, noticed)).toEqual(['desktop 0.2'])
      expect(inside(call, asked, next)).toHaveLength(2)
    },
  )

  it('`repeats` drops the notice of a lead about a member of the team in another session', () => {
    const member = { ...request, session_id: 's2' }
    const notice = (tool: string) => ({
      ...{ ...idle, notification_type: 'worker_permission_prompt' },
      message: `docs needs permission for ${tool}`,
    })
    const both = (apart: number, tool: string) =>
      byDefault([
        [0, member],
        [apart, notice(tool)],
      ])
    expect(both(2, 'Bash')).toEqual(['desktop 0'])
    expect(both(16, 'Bash')).toEqual(['desktop 0', 'desktop 16'])
    expect(both(2, 'Edit')).toEqual(['desktop 0', 'desktop 2'])
    // Two sessions may ask the same.
    expect(
      byDefault([
        [0, member],
        [2, request],
        [8, notice('Bash')],
      ]),
    ).toEqual(['desktop 0', 'desktop 2'])
  })

  it('`sub-agents` drops what a session tells that is a sub-agent, but no questions', () => {
    const isOfSubagent = true
    const steps: Step[] = [
      [60, { ...stop, isOfSubagent }],
      [120, idle],
      [130, request],
    ]
    expect(byDefault(steps)).toEqual(['desktop 130'])
    expect(byDefault([[120, { ...idle, isOfSubagent }]])).toEqual([])
  })

  const failure = { hook_event_name: 'StopFailure', error: 'rate_limit' }
  const of = (session_id: string, payload: object) => ({ ...payload, session_id })
  const fails = (at: number, session: string, more: object = {}): Step => [
    at,
    of(session, { ...failure, ...more }),
  ]

  it('`same-failure` delivers the first failure at once, and those of other sessions together', () => {
    const eight = [0, 3, 6, 9, 12, 15, 18, 21].map((at) => fails(at, `s${at}`))
    expect(byDefault(eight)).toEqual(['desktop 0', 'desktop 3+6+9+12+15+18+21 at 60'])
    const late = [fails(61, 's61'), fails(119, 's119'), fails(400, 's400'), fails(900, 's900')]
    expect(byDefault([...eight, ...late]).slice(2)).toEqual([
      'desktop 61+119 at 120',
      'desktop 400 at 420',
      'desktop 900 at 960',
    ])
    // For ten minutes nothing failed, so this is news.
    expect(byDefault([...eight, fails(622, 's622')]).at(-1)).toBe('desktop 622')
  })

  it('`same-failure` delivers a failure with another cause, or of another client, at once', () => {
    const down = { error: 'server_error', error_details: 'API Error: 529 Overloaded (req_9a8b)' }
    const again = { ...down, error_details: 'API Error: 529 Overloaded (req_1c2d)' }
    const login = { error: 'authentication_failed' }
    const steps = [fails(0, 'a'), fails(1, 'b', down), fails(2, 'c', login), fails(3, 'd', again)]
    expect(byDefault(steps)).toEqual(['desktop 0', 'desktop 1', 'desktop 2', 'desktop 3 at 61'])
    const unknown = [fails(0, 'a', { error: '' }), fails(1, 'b', { error: '' })]
    expect(byDefault(unknown)).toEqual(['desktop 0', 'desktop 1'])
  })

  it('`same-failure` delivers each failure at once to a channel without summaries', () => {
    const hook = { hook: { type: 'webhook', url: 'https://example.com/hook' } }
    const steps = [fails(0, 'a'), fails(1, 'b'), fails(2, 'c')]
    expect(told(steps, { channels: hook })).toEqual(['hook 0', 'hook 1', 'hook 2'])
  })

  it('`same-failure` delivers one failure of a session that fails on without a person', () => {
    const own = (at: number): Step => [at, of('a', ownPrompt)]
    const wakes = [1, 2, 3].flatMap((at) => [own(60 * at), fails(60 * at + 1, 'a')])
    const all: Step[] = [[0, of('a', prompt)], fails(30, 'a'), ...wakes]
    expect(byDefault(all)).toEqual(['desktop 30'])
    const hook = { hook: { type: 'webhook', url: 'https://example.com/hook' } }
    expect(told(all, { channels: hook })).toEqual(['hook 30'])
    // A person wrote, the agent worked again, or it fails in another way.
    const typed: Step = [200, of('a', prompt)]
    expect(byDefault([...all, typed, fails(260, 'a')]).at(-1)).toBe('desktop 260')
    const went: Step[] = [own(200), [260, of('a', stop)], own(300)]
    expect(byDefault([...all, ...went, fails(301, 'a')]).slice(1)).toEqual([
      'desktop 260',
      'desktop 301',
    ])
    const asked: Step = [200, of('a', request)]
    expect(byDefault([...all, own(190), asked, fails(260, 'a')]).slice(1)).toEqual([
      'desktop 200',
      'desktop 260',
    ])
    const other = fails(260, 'a', { error: 'billing_error' })
    expect(byDefault([...all, own(259), other]).at(-1)).toBe('desktop 260')
  })

  it('`same-failure` drops a held failure if its session went on', () => {
    const goesOn = (payload: object): Step[] => [[20, of('b', payload)]]
    const start: Step[] = [[-9, of('b', prompt)], fails(0, 'a'), fails(3, 'b')]
    expect(byDefault([...start, fails(4, 'c')])).toEqual(['desktop 0', 'desktop 3+4 at 60'])
    expect(byDefault([...start, fails(4, 'c'), ...goesOn(prompt)])).toEqual([
      'desktop 0',
      'desktop 4 at 60',
    ])
    expect(byDefault([...start, ...goesOn(ownPrompt), [50, of('b', stop)]])).toEqual([
      'desktop 0',
      'desktop 50',
    ])
    // A short turn is not told, so the failure is.
    expect(byDefault([...start, [5, of('b', stop)]])).toEqual(['desktop 0', 'desktop 3 at 60'])
  })

  it('a failure while no turn runs is none of the session, and ends nothing', () => {
    const turn: Step[] = [
      [0, prompt],
      [60, asking],
    ]
    const beside = [61, 62, 63].map((at): Step => [at, failure])
    expect(byDefault([...turn, ...beside])).toEqual(['desktop 60'])
    // The idle notice still belongs to the turn, and its short question is told.
    expect(byDefault([...turn, ...beside, [120, idle]])).toEqual(['desktop 60'])
    expect(
      byDefault([
        [0, prompt],
        [5, asking],
        [6, failure],
        [66, idle],
      ]),
    ).toEqual(['desktop 5 at 65'])
    // In a turn that the client began, it is one.
    expect(byDefault([...turn, [70, ownPrompt], [71, failure]])).toEqual([
      'desktop 60',
      'desktop 71',
    ])
    // The client does not report prompts, or its transcript shows one that was waiting.
    expect(
      byDefault([
        [60, stop],
        [70, failure],
      ]),
    ).toEqual(['desktop 60', 'desktop 70'])
    const queued = (durationMs: number): Step => [70, { ...failure, durationMs }]
    expect(byDefault([...turn, queued(9000)])).toEqual(['desktop 60', 'desktop 70'])
    expect(byDefault([...turn, queued(11_000)])).toEqual(['desktop 60'])
  })

  it('`answered-at-once` drops a question only if it is clear which one was answered', () => {
    const ask = (id: string) => ({
      hook_event_name: 'permission.asked',
      sessionID: 's1',
      id,
      permission: id,
    })
    const reply = { hook_event_name: 'permission.replied', sessionID: 's1' }
    const two: Step[] = [
      [0, ask('a')],
      [0.1, ask('b')],
      [0.2, reply],
    ]
    expect(told(two, { client: 'opencode' })).toEqual(['desktop 0 at 1', 'desktop 0.1 at 2'])
    expect(told([...two, [0.3, reply]], { client: 'opencode' })).toEqual([])
    // An answer that came before a question does not answer it.
    const before: Step[] = [
      [0, reply],
      [1, ask('a')],
    ]
    expect(told(before, { client: 'opencode' })).toEqual(['desktop 1 at 2'])
  })

  it('`answered-at-once` holds a question of a client that asks although nobody is there, and then denies', () => {
    const asks: Step[] = [[0, request]]
    const denied: Step[] = [...asks, [0.4, stop]]
    expect(told(asks)).toEqual(['desktop 0'])
    expect(told(asks, { isHeadless: true })).toEqual(['desktop 0 at 1'])
    expect(told(denied, { isHeadless: true, noise: { minSeconds: 0 } })).toEqual(['desktop 0.4'])
    const question = { hook_event_name: 'Notification', notification_type: 'permission_prompt' }
    expect(told([[0, question]], { client: 'copilot' })).toEqual(['desktop 0 at 1'])
  })

  it('`answered-at-once` drops a held turn if a later one of its session is delivered on that channel', () => {
    const quietHours = [{ from: '09:00', to: '10:00', timeZone: 'UTC' }]
    const turns: Step[] = [
      [60, stop],
      [120, { ...stop, session_id: 's2' }],
      [180, stop],
    ]
    const quiet = { client: 'opencode', noise: { quietHours } }
    expect(told(turns, quiet)).toEqual(['desktop 120+180 at 3600'])
    const steps = [{ to: ['desk'] }, { after: '10m', to: ['phone'] }]
    const stepwise = { channels, routes: [{ on: ['done'], steps }], client: 'opencode' }
    expect(told(turns, stepwise)).toEqual([
      'desk 60',
      'desk 120',
      'desk 180',
      'phone 120 at 720',
      'phone 180 at 780',
    ])
    // The later turn was sent to another channel only.
    const routes = [
      { on: ['done'], when: { message: 'red' }, to: ['phone'], stop: true },
      { on: ['done'], to: ['desk'] },
    ]
    const red = { ...stop, last_assistant_message: 'red' }
    const split = told(
      [
        [60, stop],
        [180, red],
      ],
      { ...quiet, channels, routes },
    )
    expect(split).toEqual(['desk 60 at 3600', 'phone 180 at 3600'])
  })

  it('`quiet-hours` also holds what another rule or a step delayed until then, but no question', () => {
    const quietHours = [{ from: '09:02', to: '10:00', timeZone: 'UTC' }]
    const late = (steps: Step[], settings: Settings = {}) => {
      const { noise, ...others } = settings
      return told(steps, { ...others, noise: { quietHours, ...(noise as object) } })
    }
    const busy: Step[] = [
      [0, prompt],
      [60, { ...stop, ...tasks(1) }],
    ]
    expect(late(busy)).toEqual(['desktop 60 at 3600'])
    expect(late(busy, { noise: { off: ['quiet-hours'] } })).toEqual(['desktop 60 at 360'])
    const short: Step[] = [
      [100, prompt],
      [105, asking],
    ]
    expect(late(short, { client: 'codex' })).toEqual(['desktop 105 at 3600'])
    const steps = [{ to: ['desk'] }, { after: '5m', to: ['phone'] }]
    const routes = [{ on: ['failed', 'permission'], steps }]
    const events: Step[] = [
      [10, { ...request, session_id: 's2' }],
      [60, { hook_event_name: 'StopFailure' }],
    ]
    expect(late(events, { channels, routes })).toEqual([
      'desk 10',
      'desk 60',
      'phone 10 at 310',
      'phone 60 at 3600',
    ])
    const loud = { ...channels, phone: { type: 'desktop', noise: false } }
    expect(late(events, { channels: loud, routes })).toContain('phone 60 at 360')
  })

  it('a later step of a question that was reported twice needs only one answer to be dropped', () => {
    const routes = [{ on: ['permission'], steps: [{ after: '2m', to: ['phone'] }] }]
    const asked: Step[] = [
      [0, request],
      [6, notice],
    ]
    const answer: Step = [7, { hook_event_name: 'PreToolUse', tool_name: 'Bash' }]
    const settings = { client: 'qwen', channels, routes }
    expect(told(asked, settings)).toEqual(['phone 0 at 120'])
    expect(told([...asked, answer], settings)).toEqual([])
  })

  it.each(['idle', 'short-turns', 'goes-on'])('`%s` can be switched off', (name) => {
    const steps: Step[] = [
      [0, prompt],
      [5, { ...stop, ...tasks(name === 'goes-on' ? 1 : 0) }],
      [65, idle],
    ]
    const off = name === 'goes-on' ? ['goes-on', 'short-turns'] : [name]
    expect(told(steps, { noise: { off } })).toHaveLength(1)
  })

  it('applies to a channel according to the `noise` option of the channel', () => {
    const quiet = {
      audit: { type: 'file', path: '/tmp/a', noise: true },
      desk: { type: 'desktop', noise: false },
    }
    const steps: Step[] = [
      [0, prompt],
      [5, stop],
      [65, idle],
    ]
    expect(told(steps, { channels: quiet })).toEqual(['desk 5', 'desk 65'])
  })

  it('`mute` also silences a channel without other rules, but not one that keeps a record', () => {
    const all = { audit: { type: 'file', path: '/tmp/a' }, desk: { type: 'desktop', noise: false } }
    const mutes = () => [{ until: 0, questions: true as const }]
    expect(told([[0, request]], { channels: all }, { mutes })).toEqual(['audit 0'])
  })

  it('`mute` leaves questions alone, unless it names them', () => {
    const mutes = () => [{ until: 0 }]
    const steps: Step[] = [
      [0, request],
      [60, stop],
    ]
    expect(told(steps, {}, { mutes })).toEqual(['desktop 0'])
  })

  it('`mute` drops events that were held before', () => {
    const mutes = (now: number) =>
      now > start + 1500 ? [{ until: 0, questions: true as const }] : []
    expect(
      told(
        [
          [0, request],
          [1, request],
        ],
        {},
        { mutes },
      ),
    ).toEqual(['desktop 0'])
  })
})

it('a rule that throws is skipped', () => {
  const fail = () => {
    throw new Error('a bug')
  }
  const all = { restore: () => null, fold: fail, judge: fail, note: fail, review: fail }
  const broken = { name: 'broken', isNoise: false, ...all }
  const quietHours = [{ from: '09:00', to: '10:00', timeZone: 'UTC' }]
  const steps: Step[] = [
    [0, request],
    [60, { ...stop, session_id: 's2' }],
  ]
  const left = told(steps, { noise: { quietHours } }, { policies: [broken, ...allPolicies] })
  expect(left).toEqual(['desktop 0', 'desktop 60 at 3600'])
})
