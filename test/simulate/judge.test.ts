import { describe, expect, it } from 'vitest'
import { HookbellError } from '../../src/errors.ts'
import { judge } from '../../src/simulate/judge.ts'

const at = (time: string) => new Date(`2026-11-20T${time}Z`)
const session = { session_id: 's1', cwd: '/srv/shop' }
const prompt = { ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Go' }
const stop = { ...session, hook_event_name: 'Stop' }

describe('judge', () => {
  it('returns the messages a user would receive and the rule that decided', () => {
    const { pings, decisions } = judge({
      config: {
        channels: { team: { type: 'slack', url: '${SLACK_WEBHOOK_URL}' } },
        noise: { minSeconds: 60 },
      },
      events: [
        { at: at('09:00:00'), client: 'claude', payload: prompt },
        { at: at('09:00:30'), client: 'claude', payload: stop },
        { at: at('09:01:00'), client: 'claude', payload: prompt },
        { at: at('09:05:00'), client: 'claude', payload: stop },
      ],
    })
    expect(pings).toEqual([
      { at: Number(at('09:05:00')), channel: 'team', events: ['event-4'], kind: 'done' },
    ])
    expect(decisions[1]?.trace.at(-1)).toMatchObject({ by: 'short-turns', verdict: 'suppress' })
  })

  it('evaluates the time, the project and the environment of each event', () => {
    const routes = [
      { on: ['done'], when: { project: ['api-*'], from: '09:00', to: '10:00', timeZone: 'UTC' } },
    ].map((route) => ({ ...route, not: { ssh: true }, to: ['desktop'] }))
    const one = { client: 'claude', payload: stop, project: 'api-server' }
    const { pings } = judge({
      config: { routes },
      events: [
        { ...one, at: at('09:30:00') },
        { ...one, at: at('09:31:00'), env: { SSH_TTY: '/dev/pts/1' } },
        { ...one, at: at('09:32:00'), project: 'shop' },
        { ...one, at: at('10:30:00') },
      ],
    })
    expect(pings.flatMap(({ events }) => events)).toEqual(['event-1'])
  })

  it('takes a session for one of the project in which it began, wherever the agent goes', () => {
    const routes = [{ on: ['done'], when: { project: ['shop'] }, to: ['desktop'] }]
    const noise = { minSeconds: 0 }
    const moved = (cwd: string) => ({ ...stop, cwd })
    const told = (first: object, last: object, more: object = {}) =>
      judge({
        config: { routes, noise },
        events: [
          { ...more, at: at('09:00:00'), client: 'claude', payload: first },
          { ...more, at: at('09:05:00'), client: 'claude', payload: last },
        ],
      }).pings.length
    for (const cwd of ['/srv/shop', '/srv/shop/src', '/srv/lib']) {
      expect(told(prompt, moved(cwd))).toBe(1)
      const env = { CLAUDE_PROJECT_DIR: '/srv/shop' }
      expect(told({ ...prompt, cwd }, moved('/srv/lib'), { env })).toBe(1)
    }
    expect(told({ ...prompt, cwd: '/srv/lib' }, moved('/srv/shop'))).toBe(0)
    // It was resumed there.
    const end = { ...prompt, hook_event_name: 'SessionEnd', reason: 'exit' }
    expect(told(end, moved('/srv/shop'))).toBe(1)
  })

  it('finds out whether an answer ends with a question', () => {
    const short = { ...stop, last_assistant_message: 'Shall I delete it?' }
    const { pings } = judge({
      config: {},
      events: [
        { at: at('09:00:00'), client: 'codex', payload: prompt },
        { at: at('09:00:05'), client: 'codex', payload: short },
      ],
    })
    expect(pings.map((ping) => ping.at)).toEqual([Number(at('09:01:05'))])
  })

  it('says when the question at the end of a short turn is told', () => {
    const short = { ...stop, last_assistant_message: 'Shall I delete it?' }
    const { decisions } = judge({
      config: {},
      events: [
        { at: at('09:00:00'), client: 'claude', payload: prompt },
        { at: at('09:00:05'), client: 'claude', payload: short },
      ],
    })
    const because =
      'the turn took 5 s, less than 15 s; its question is told if nobody answers in a minute'
    expect(decisions[1]?.trace.at(-1)).toMatchObject({ by: 'short-turns', because })
  })

  it('delivers a held turn as soon as the client says that it waits', () => {
    const task = { id: 'b1', type: 'shell', status: 'running' }
    const idle = { ...session, hook_event_name: 'Notification', notification_type: 'idle_prompt' }
    const { decisions, pings } = judge({
      config: {},
      events: [
        { at: at('09:00:00'), client: 'claude', payload: prompt },
        { at: at('09:01:00'), client: 'claude', payload: { ...stop, background_tasks: [task] } },
        { at: at('09:02:00'), client: 'claude', payload: { ...idle, message: 'I wait' } },
      ],
    })
    expect(decisions[1]?.trace.at(-1)).toMatchObject({ by: 'goes-on', verdict: 'hold' })
    expect(decisions[2]?.trace.at(-1)).toMatchObject({
      ...{ by: 'idle', verdict: 'suppress' },
      because: 'the end of the turn before it is told on this channel',
    })
    expect(pings.map(({ at: told, events }) => [told, events])).toEqual([
      [Number(at('09:02:00')), ['event-2']],
    ])
  })

  it('delivers a question at the end of a short turn if the route is only for questions', () => {
    const idle = { ...session, hook_event_name: 'Notification', notification_type: 'idle_prompt' }
    const routes = [{ on: ['*'], when: { asks: true }, to: ['desktop'] }]
    const ids = (lastMessage: string, end: string) =>
      judge({
        config: { routes },
        events: [
          { at: at('09:00:00'), client: 'claude', payload: prompt },
          {
            at: at(end),
            client: 'claude',
            payload: { ...stop, last_assistant_message: lastMessage },
          },
          {
            at: at('09:05:00'),
            client: 'claude',
            payload: { ...idle, message: 'Claude is waiting' },
          },
        ],
      }).pings.flatMap(({ events }) => events)
    expect(ids('Shall I delete it?', '09:00:05')).toEqual(['event-2'])
    expect(ids('Shall I delete it?', '09:01:00')).toEqual(['event-2'])
    expect(ids('It is deleted.', '09:00:05')).toEqual([])
    expect(ids('It is deleted.', '09:01:00')).toEqual([])
  })

  it('reports where a configuration is invalid', () => {
    const config = { routes: [{ on: ['done'], to: ['desk'] }] }
    expect(() => judge({ config, events: [] })).toThrow(HookbellError)
    expect(() => judge({ config, events: [] })).toThrow(/routes\.0\.to\.0: unknown channel "desk"/)
  })
})
