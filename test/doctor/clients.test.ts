import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ClientName } from '../../src/clients/index.ts'
import type { Check } from '../../src/doctor/check.ts'
import { checkClients } from '../../src/doctor/clients.ts'
import { hookCommand } from '../../src/install/hook-command.ts'
import { type HookPlace, rememberPlace } from '../../src/install/places.ts'
import { emptyStatus } from '../../src/journal/history.ts'
import { makeHome } from '../install/make-home.ts'

const DAY_MS = 86_400_000
const now = Date.parse('2026-11-20T09:00:00Z')

/** A settings file with our hooks for these events; if `isBare`, without the key `hooks` around them. */
function settings(client: ClientName, events: readonly string[], isBare = false): string {
  const hook = { type: 'command', command: hookCommand('/state/hookbell-hook', client) }
  const hooks = Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]]))
  return JSON.stringify(isBare ? hooks : { hooks })
}

interface Machine {
  files?: Record<string, string>
  /** Where `init` wrote, by the path below the home directory. */
  remembered?: Record<string, Omit<HookPlace, 'path' | 'form'>>
  /** When each client sent its last event. */
  last?: Partial<Record<ClientName, number>>
  /** The program around the clients. */
  surface?: string
  cwd?: string
}

/** The checks of the clients, with `~` for the home directory. */
function checksOf({ cwd = 'repo', ...machine }: Machine): Check[] {
  const { files = {}, remembered = {}, last = {}, surface } = machine
  const home = makeHome({ 'repo/.git/HEAD': '', ...files })
  const stateDir = join(home, 'state')
  for (const [path, place] of Object.entries(remembered))
    rememberPlace(stateDir, { ...place, path: join(home, path), form: 'wrapped' })
  const events = Object.entries(last).map(([client, acceptedAt]) => ({
    ...emptyStatus(client, acceptedAt),
    ...{ client, event: 'Stop', ...(surface && { surface }) },
  }))
  const checks = checkClients({ env: { HOME: home }, cwd: join(home, cwd), stateDir, events, now })
  return JSON.parse(JSON.stringify(checks).replaceAll(home, '~'))
}

const only = (checks: readonly Check[], end: string) =>
  checks.filter(({ id }) => id.endsWith(`.${end}`)).map(({ seen, do: what }) => [seen, what])

describe('an event that is registered more than once', () => {
  it.each<[string, Record<string, string>]>([
    [
      'for the user and for the project',
      {
        '.claude/settings.json': settings('claude', ['Stop']),
        'repo/.claude/settings.json': settings('claude', ['Stop']),
      },
    ],
    [
      'in a file that hides it in another one',
      {
        '.factory/hooks.json': settings('droid', ['Stop'], true),
        '.factory/settings.json': settings('droid', ['Stop', 'Notification']),
      },
    ],
  ])('is not reported: %s', (_, files) => {
    const checks = checksOf({ files })
    expect(only(checks, 'registered')).toHaveLength(1)
    expect([only(checks, 'duplicates'), only(checks, 'in-force')]).toEqual([[], []])
  })

  const hooks = settings('claude', ['Stop'])
  const work = '.claude-work/settings.json'
  const registered = { client: 'claude', scope: 'user', events: ['Stop'] } as const

  it('is not reported: once in each of two profiles', () => {
    const files = { '.claude/settings.json': hooks, [work]: hooks }
    const checks = checksOf({ files, remembered: { [work]: registered } })
    expect(only(checks, 'registered')[0]?.[0]).toContain('~/.claude-work/settings.json')
    expect(only(checks, 'duplicates')).toEqual([])
  })

  it('is reported for its profile, with what registers both again', () => {
    const { Stop } = JSON.parse(hooks).hooks
    const both = JSON.stringify({ hooks: { Stop: [...Stop, ...Stop] } })
    const files = { '.claude/settings.json': hooks, [work]: both }
    expect(only(checksOf({ files, remembered: { [work]: registered } }), 'duplicates')).toEqual([
      [
        'Stop: registered more than once in your settings in ~/.claude-work',
        'hookbell uninstall --client claude --user, then hookbell init --client claude, with ' +
          "CLAUDE_CONFIG_DIR='~/.claude-work', then hookbell init --client claude",
      ],
    ])
  })

  it('is not reported: in two projects', () => {
    const shared = settings('claude', ['Stop'])
    const place = { client: 'claude', scope: 'project' } as const
    const checks = checksOf({
      files: { 'repo/.claude/settings.json': shared, 'other/.claude/settings.json': shared },
      remembered: { 'repo/.claude/settings.json': place, 'other/.claude/settings.json': place },
    })
    expect(only(checks, 'registered')).toEqual([
      ['1 events in ~/repo/.claude/settings.json, 1 events in ~/other/.claude/settings.json', ''],
    ])
    expect(only(checks, 'duplicates')).toEqual([])
  })

  it('is reported if the settings of the user have it twice', () => {
    const files = {
      '.copilot/hooks/hookbell.json': settings('copilot', ['Stop']),
      '.copilot/settings.json': settings('copilot', ['Stop']),
      'repo/.github/hooks/hookbell.json': settings('copilot', ['Notification']),
    }
    expect(only(checksOf({ files }), 'duplicates')).toEqual([
      [
        'Stop: registered more than once in your settings',
        'hookbell uninstall --client copilot --user, then hookbell init --client copilot',
      ],
    ])
  })

  it('is reported if one project has it twice, without a command for all projects', () => {
    const checks = checksOf({
      files: {
        'repo/.claude/settings.json': settings('claude', ['Stop', 'Notification']),
        'repo/.claude/settings.local.json': settings('claude', ['Stop']),
      },
    })
    expect(only(checks, 'duplicates')).toEqual([
      [
        'Stop: registered more than once in the settings of ~/repo',
        'Keep one of the entries there, by hand',
      ],
    ])
  })
})

it('an event that hooks.json hides is reported although that file has another hook of ours', () => {
  const ours = JSON.parse(settings('droid', ['Notification'], true))
  const theirs = { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] }
  const files = {
    '.factory/hooks.json': JSON.stringify({ ...ours, ...theirs }),
    '.factory/settings.json': settings('droid', ['Stop', 'SessionEnd']),
  }
  expect(only(checksOf({ files }), 'in-force')).toEqual([
    [
      'Stop in ~/.factory/settings.json is hidden by ~/.factory/hooks.json',
      'hookbell init --client droid',
    ],
  ])
})

describe('hooks that are gone', () => {
  const remembered = {
    'repo/.claude/settings.json': {
      ...({ client: 'claude', scope: 'project' } as const),
      events: ['Stop', 'Notification'],
    },
  }

  it('are reported although another project has them', () => {
    const other = 'other/.claude/settings.json'
    const checks = checksOf({
      files: {
        'repo/.claude/settings.json': settings('claude', ['Stop']),
        [other]: settings('claude', ['Stop', 'Notification']),
      },
      remembered: { ...remembered, [other]: { client: 'claude', scope: 'project' } },
    })
    expect(only(checks, 'vanished')).toEqual([
      [
        expect.stringMatching(/^Notification: gone from ~\/repo\/.*, last written 20/),
        'End all sessions, then in ~/repo: hookbell init --client claude --project',
      ],
    ])
  })

  it('are reported for a second profile, with how to write to it', () => {
    const work = '.claude-work/settings.json'
    const both = { client: 'claude', scope: 'user', events: ['Stop'] } as const
    const checks = checksOf({
      files: { '.claude/settings.json': settings('claude', ['Stop']), [work]: '{}' },
      remembered: { [work]: both, '.claude/settings.json': both },
    })
    expect(only(checks, 'vanished')).toEqual([
      [
        expect.stringMatching(/^the hooks are gone from ~\/\.claude-work\/settings\.json/),
        "End all sessions, then: hookbell init --client claude, with CLAUDE_CONFIG_DIR='~/.claude-work'",
      ],
    ])
  })

  it('are not reported for a file that cannot be parsed', () => {
    const checks = checksOf({ files: { 'repo/.claude/settings.json': '{' }, remembered })
    expect(only(checks, 'shape')).toHaveLength(1)
    expect([only(checks, 'vanished'), only(checks, 'registered')]).toEqual([[], []])
  })

  it('are not reported if another file of the same folder has them', () => {
    const checks = checksOf({
      files: {
        '.factory/hooks.json': settings('droid', ['Notification'], true),
        '.factory/settings.json': settings('droid', ['Stop']),
      },
      remembered: {
        '.factory/settings.json': {
          ...({ client: 'droid', scope: 'user' } as const),
          events: ['Stop', 'Notification'],
        },
      },
    })
    expect(only(checks, 'vanished')).toEqual([])
  })
})

describe('the last event of a client', () => {
  const files = { '.claude/settings.json': settings('claude', ['Stop']) }
  const said = (last: Machine['last'] = {}) =>
    checksOf({ files, last }).filter(({ id }) => id === 'client.claude.last')

  it('is unknown until the first one, even if another client has sent some', () => {
    const unknown = [{ status: 'cannot tell', seen: 'no event seen yet' }]
    expect(said()).toMatchObject(unknown)
    expect(said({ droid: now })).toMatchObject(unknown)
  })

  it('is reported after three days', () => {
    expect(said({ claude: now - 3 * DAY_MS + 1 })).toMatchObject([{ status: 'ok', do: '' }])
    expect(said({ claude: now - 3 * DAY_MS })).toMatchObject([
      {
        status: 'warning',
        seen: 'no event for 3 days: Stop, 2026-11-17 09:00',
        do: expect.stringMatching(/^If you used it since: restart running sessions/),
      },
    ])
  })
})

describe('a client', () => {
  it('is reported even if it is not installed, if its hooks are gone', () => {
    const path = 'repo/.claude/settings.json'
    const remembered = { [path]: { client: 'claude', scope: 'project' } as const }
    const gone = checksOf({ files: { [path]: '{}', '.qwen/x': '' }, remembered })
    expect(gone.filter(({ id }) => id.endsWith('.vanished')).map(({ id }) => id)).toEqual([
      'client.claude.vanished',
    ])
    expect(checksOf({ remembered: { 'gone/.claude/settings.json': remembered[path] } })).toEqual([
      expect.objectContaining({ id: 'clients' }),
    ])
  })

  it('is reported only if it is installed or has our hooks', () => {
    const ids = (files: Record<string, string>) => [
      ...new Set(checksOf({ files }).map(({ id }) => id.split('.')[1] ?? id)),
    ]
    expect(ids({ 'repo/.gemini/settings.json': '{}' })).toEqual(['clients'])
    expect(
      ids({ '.qwen/x': '', 'repo/.claude/settings.json': settings('claude', ['Stop']) }),
    ).toEqual(['claude', 'qwen'])
  })

  it('is reported as unverified only for what was never tried with the real program', () => {
    const files = { '.gemini/x': '', '.claude/x': '' }
    expect(checksOf({ files }).filter(({ id }) => id.endsWith('.verified'))).toEqual([
      {
        id: 'client.gemini.verified',
        status: 'cannot tell',
        seen: 'never tried with the real program: headless (not confirmed by anything)',
        do: '',
      },
    ])
  })

  it('is reported with what it does not report in an editor that was used', () => {
    const files = { '.claude/settings.json': settings('claude', ['Stop']) }
    const inside = (surface?: string, client: ClientName = 'claude') =>
      checksOf({ files, last: { [client]: now }, ...(surface && { surface }) })
    const seen = 'in VS Code it reports no idle notice'
    expect(inside('VS Code').filter(({ id }) => id === 'client.claude.unreported')).toEqual([
      expect.objectContaining({ status: 'cannot tell', seen: expect.stringContaining(seen) }),
    ])
    expect(only(inside('the desktop app'), 'unreported')).toHaveLength(1)
    for (const checks of [inside(), inside('VS Code', 'droid'), inside('an older name')])
      expect(only(checks, 'unreported')).toEqual([])
  })

  it('is reported with what no event of it tells: Cursor asks in silence', () => {
    const ours = { command: hookCommand('/state/hookbell-hook', 'cursor') }
    const files = { '.cursor/hooks.json': JSON.stringify({ version: 1, hooks: { stop: [ours] } }) }
    expect(only(checksOf({ files }), 'unreported')).toEqual([
      ['no event of it says that it asks something', ''],
    ])
    expect(only(checksOf({ files: { '.cursor/x': '' } }), 'unreported')).toEqual([])
  })

  it('without hooks of its own is reported as not registered, with the command for that', () => {
    const files = { '.qwen/x': '', '.claude/settings.json': settings('claude', ['Stop']) }
    expect(only(checksOf({ files }), 'registered')).toEqual([
      ['1 events in ~/.claude/settings.json', ''],
      ['not registered', 'hookbell init --client qwen'],
    ])
    // When hooks were written is known only if `init` wrote them, so a restart is not checked here.
    const ids = checksOf({ files, last: { claude: now, qwen: now } }).map(({ id }) => id)
    expect(ids.filter((id) => /\.(last|restart)$/.test(id))).toEqual(['client.claude.last'])
  })
})
