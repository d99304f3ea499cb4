import { describe, expect, it } from 'vitest'
import { makeHome } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'

const session_id = '00000001-2222-4333-8444-555555555555'

async function makeWhyHome(script: number[] = []) {
  const { url } = await startReceiver({ script })
  const home = await makeHome({
    channels: { team: { type: 'slack', url: `${url}/services/x` } },
    routes: [
      { on: ['failed'], to: ['team'] },
      { on: ['done', 'abnormal-end', 'permission'], when: { client: ['droid'] }, to: ['team'] },
    ],
    lingerSeconds: 0,
  })
  const tell = async (event: object) => {
    const id = home.accept({ session_id, cwd: home.project, ...event })
    await home.run('worker', '--once')
    return id
  }
  return { home, tell }
}

/** Removes the values that differ between runs. */
function plain(text: string, id: string) {
  return text
    .replaceAll(id.slice(0, 8), '<id>')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')
    .replaceAll(/ +$/gm, '')
}

describe('hookbell why', () => {
  it('explains why an event was delivered and what the receiver responded', async () => {
    const { home, tell } = await makeWhyHome()
    const id = await tell({ hook_event_name: 'Stop', last_assistant_message: 'All green' })
    const { stdout } = await home.run('why')
    expect(plain(stdout, id)).toMatchInlineSnapshot(`
      "Droid · api-server: done <id>
        accepted  <time>
        client    droid, session 00000001
        kind      done: event Stop
        route 1   not matched: on: failed
        route 2   matched: on: done; when client: droid
        team      send: no rule suppresses or holds it
        team      <time> delivered: ok
        result    delivered: team"
    `)
    expect((await home.run('why', id.slice(0, 12))).stdout).toBe(stdout)
  })

  it('names the program around the client', async () => {
    const { home } = await makeWhyHome()
    const failure = { hook_event_name: 'StopFailure', error: 'rate_limit', session_id }
    home.accept(failure, 'claude', { CLAUDE_CODE_ENTRYPOINT: 'claude-vscode' })
    await home.run('worker', '--once')
    const { stdout } = await home.run('why')
    expect(stdout).toContain(`client    claude in VS Code, session ${session_id.slice(0, 8)}\n`)
  })

  it('does not take a test event of doctor for the last event', async () => {
    const { home, tell } = await makeWhyHome()
    const id = await tell({ hook_event_name: 'Stop', last_assistant_message: 'All green' })
    for (let count = 0; count < 11; count += 1)
      home.accept({ hook_event_name: 'HookbellCanary', session_id: 'doctor' })
    await tell({ hook_event_name: 'HookbellCanary', session_id: 'doctor' })
    expect((await home.run('why')).stdout).toContain(`api-server: done ${id.slice(0, 8)}`)
    // The other commands that accept `last` ignore it too.
    expect((await home.run('log', 'last')).stdout).toContain(`id       ${id}`)
    const preview = await home.run('preview', 'last', '--channel', 'team')
    expect(preview.stdout).toContain('All green')
  })

  it('says once when a channel gave up, and why', async () => {
    const { home, tell } = await makeWhyHome([500, 404])
    await home.writeConfig(
      JSON.stringify({ ...JSON.parse(home.read('config/config.json')), retry: { maxAttempts: 1 } }),
    )
    const why = async (id: string) =>
      (await home.run('why', id)).stdout.replaceAll(/ \d\d:\d\d:\d\d/g, '')
    const [busy, gone] = [
      await tell({ hook_event_name: 'Stop' }),
      await tell({ hook_event_name: 'Stop' }),
    ]
    expect(await why(busy)).toMatch(/team +\S+ +gave up after 1 attempt: slack: 500/)
    expect(await why(gone)).toMatch(/team +\S+ +gave up after attempt 1: slack: 404/)
  })

  it('names the rule that suppressed an event and the evidence that corrected its kind', async () => {
    const { home, tell } = await makeWhyHome()
    await tell({ hook_event_name: 'UserPromptSubmit', prompt: 'Go' })
    const stop = await tell({ hook_event_name: 'Stop' })
    const end = await tell({ hook_event_name: 'SessionEnd', reason: 'other' })
    const { stdout } = await home.run('why', stop)
    expect(stdout).toMatch(/team +suppressed by the rule short-turns: the turn took [\d.]+ s, less/)
    const why = await home.run('why', 'last')
    expect(plain(why.stdout, end)).toMatchInlineSnapshot(`
      "Droid · api-server: session ended (other) <id>
        accepted  <time>
        client    droid, session 00000001
        kind      ended: event SessionEnd, reason other
        kind      corrected: ended: the last turn of the session had ended well
        route 1   not matched: on: failed
        route 2   not matched: on: done, abnormal-end, permission
        all       <time> suppressed: no route for ended
        result    suppressed: no route for ended"
    `)
  })

  it('says once what it says of several channels', async () => {
    const { home, tell } = await makeWhyHome()
    const { channels } = JSON.parse(home.read('config/config.json'))
    const routes = [{ on: ['*'], to: ['team', 'crew'] }]
    await home.writeConfig(
      JSON.stringify({ channels: { ...channels, crew: channels.team }, routes, lingerSeconds: 0 }),
    )
    await tell({ hook_event_name: 'UserPromptSubmit', prompt: 'Go' })
    await tell({ hook_event_name: 'Stop' })
    const { stdout } = await home.run('why')
    expect(stdout).toMatch(/^ +team, crew +suppressed by the rule short-turns: /m)
    expect(stdout.match(/short-turns/g)).toHaveLength(1)
  })

  it('names the channels for which an event still waits or is dead', async () => {
    const { home, tell } = await makeWhyHome([503, 404])
    const { channels } = JSON.parse(home.read('config/config.json'))
    const log = { type: 'file', path: '~/log.jsonl' }
    const routes = [{ on: ['*'], to: ['team', 'log'] }]
    const all = { channels: { ...channels, log }, routes, lingerSeconds: 0 }
    await home.writeConfig(JSON.stringify({ ...all, retry: { firstDelaySeconds: 600 } }))
    const id = await tell({ hook_event_name: 'Stop' })
    const result = async () => /result +(.*)/.exec((await home.run('why', id)).stdout)?.[1]
    expect(await result()).toBe('waiting: team (delivered: log)')
    await home.run('flush')
    await home.run('worker', '--once')
    expect(await result()).toBe('dead: team (delivered: log)')
  })

  it('says that no channel was available', async () => {
    const { home, tell } = await makeWhyHome()
    await home.writeConfig('{"channels": {"desk": {"type": "desktop"}}, "lingerSeconds": 0}')
    await tell({ hook_event_name: 'Stop', last_assistant_message: 'All green' })
    expect((await home.run('why')).stdout).toMatch(
      /desk +\S+ \S+ not available here: .*\n +result +suppressed: no channel was available$/,
    )
  })

  it('shows the error of each attempt and the time of the next one', async () => {
    const { home, tell } = await makeWhyHome([500])
    await tell({ hook_event_name: 'Stop' })
    const { stdout } = await home.run('why')
    expect(stdout).toMatch(/team +\S+ \S+ attempt 1: .*500.*; next \d{4}-/)
  })

  it('says once why several attempts of a channel failed', async () => {
    const { home, tell } = await makeWhyHome([500, 500, 404])
    await tell({ hook_event_name: 'Stop' })
    await home.run('flush')
    expect((await home.run('why')).stdout.match(/.*500.*/g)).toEqual([
      expect.stringMatching(/team +\S+ \S+ attempt 2 \(and 1 before\): .*; next \d{4}-/),
    ])
  })

  it('explains why an event is invalid', async () => {
    const { home } = await makeWhyHome()
    home.accept('no json')
    expect((await home.run('why')).stdout).toMatch(/^not read yet .*no worker has claimed it yet/s)
    expect((await home.run('log')).stdout).toContain('not read yet')
    await home.run('hold')
    expect((await home.run('why')).stdout).toMatch(/all is on hold\. Go on with: .*hookbell resume/)
    await home.run('resume')
    await home.run('worker', '--once')
    expect((await home.run('why')).stdout).toMatch(/event +.* unusable: /)
  })

  it('prints the events of a session with all facts as JSON', async () => {
    const { home, tell } = await makeWhyHome()
    await tell({ hook_event_name: 'Stop' })
    await tell({ hook_event_name: 'Stop', session_id: 'other' })
    const { stdout } = await home.run('why', '--session', session_id.slice(0, 8), '--json')
    expect(JSON.parse(stdout)).toMatchObject([
      {
        sessionId: session_id,
        outcome: 'delivered',
        trace: [{ by: 'route 1' }, { by: 'route 2', because: 'on: done; when client: droid' }, {}],
        entries: [{ type: 'accepted', facts: { means: 'Stop' } }, { type: 'delivered' }],
      },
    ])
  })

  it.each([
    [['why'], 'no events yet\n  hookbell status shows whether hookbell is registered'],
    [['log', 'last'], 'log: no events yet'],
    [['preview', 'last'], 'preview: no events yet'],
    [['why', 'zzz'], 'no event with an id that starts with "zzz"'],
    [['why', '--session', 'zzz'], 'no event of a session "zzz"'],
  ])('reports what it cannot find: %j', async (words, message) => {
    const home = await makeHome()
    const { stderr, exitCode } = await home.run(...words)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(64)
  })
})
