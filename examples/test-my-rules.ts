// A test of your own configuration: which messages would a day make? Nothing is sent, and no secret is needed.
//
//   node --import tsx --test test-my-rules.ts
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrich, judge, parse, readRules, render, route } from 'hookbell'

const config = {
  channels: {
    phone: { type: 'ntfy', topic: '${NTFY_TOPIC}' },
    log: { type: 'file', path: '~/events.jsonl' },
  },
  routes: [
    { on: ['*'], to: ['log'] },
    { on: ['permission'], to: ['phone'] },
    { on: ['done'], when: { minSeconds: 300 }, to: ['phone'] },
  ],
}
const session = { session_id: 's1', cwd: '/home/me/shop' }
const at = (time: string) => new Date(`2026-11-20T${time}`)

test('a long turn rings the phone, a short one does not', () => {
  const turn = (start: string, end: string) => [
    {
      at: at(start),
      client: 'claude',
      payload: { ...session, hook_event_name: 'UserPromptSubmit' },
    },
    { at: at(end), client: 'claude', payload: { ...session, hook_event_name: 'Stop' } },
  ]
  const { pings } = judge({
    config,
    events: [...turn('09:00:00', '09:02:00'), ...turn('10:00:00', '10:06:00')],
  })
  const phone = pings.filter(({ channel }) => channel === 'phone')
  assert.deepEqual(
    phone.map(({ events }) => events),
    [['event-4']],
  )
})

test('a question says what is asked', async () => {
  const rules = readRules({ config, secrets: { NTFY_TOPIC: 'any' } })
  const payload = {
    ...session,
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'npm publish' },
  }
  const event = await enrich(parse(payload, rules, { client: 'claude' }))
  const messages = await render(judge(route(event, rules), rules), rules)
  const phone = messages.find(({ channel }) => channel === 'phone')
  assert.equal(phone?.message.title, 'Claude · shop: permission needed')
  assert.match(phone?.message.body ?? '', /npm publish/)
})
