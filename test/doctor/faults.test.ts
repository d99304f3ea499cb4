import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../support/home.ts'
import { shellQuote } from '../support/shell-quote.ts'
import {
  approveInCodex,
  type BrokenHome,
  canMount,
  followAdvice,
  makeWorkingHome,
  working,
} from './_broken-home.ts'

type Step = (home: BrokenHome) => unknown

/** One fault on the machine of a user. */
interface Fault {
  /** Default: droid. */
  client?: string
  break?: Step
  /** Shell lines that run as root and prepare the file system. */
  prelude?: string
  /** The check that reports the fault: its id, status, finding and advice. */
  doctor: [id: string, status: 'warning' | 'broken', seen: RegExp, advice: RegExp]
  /** The problem that `status` prints, exiting with 1. Undefined: it prints none, since delivery still works. */
  status?: RegExp
  /** What repairs the fault: `doctor --fix`, the literal advice of the check, or a step by hand. */
  repair: 'fix' | 'as advised' | Step
}

const toConfig =
  (config: object): Step =>
  ({ writeConfig }) =>
    writeConfig(JSON.stringify(config))
const repairConfig = toConfig(working)
const door = ({ state }: BrokenHome) => join(state, 'hookbell-hook')
const runtime = ({ state }: BrokenHome, path: string) => join(state, 'runtime', path)
const secrets = ({ configDir }: BrokenHome) => join(configDir, 'secrets.env')

const faults: Record<string, Fault> = {
  'a session removed the hooks from the settings': {
    break: ({ settings }) => writeFileSync(settings, '{"model": "x"}'),
    doctor: ['client.droid.vanished', 'broken', /hooks are gone from/, /hookbell init --client/],
    status: /^x Factory droid: the hooks are gone/m,
    repair: 'as advised',
  },
  'a session wrote one of the hooks out of the settings': {
    break: ({ editSettings }) =>
      editSettings(({ hooks: { Stop: _, ...hooks }, ...value }) => ({ ...value, hooks })),
    doctor: [
      'client.droid.vanished',
      'broken',
      /^Stop: gone from .*, registered 20.*, last written 20/,
      /hookbell init --client/,
    ],
    status: /^x Factory droid: Stop: gone from/m,
    repair: 'as advised',
  },
  'somebody removed the hooks from the settings of a project': {
    break: async ({ run, project }) => {
      await run(['init', '--client', 'droid', '--project', '--yes'])
      rmSync(join(project, '.factory/settings.json'))
    },
    doctor: [
      'client.droid.vanished',
      'broken',
      /hooks are gone from .*api-server.*not there any more/,
      /in .*api-server: hookbell init --client droid --project$/,
    ],
    status: /^x Factory droid: the hooks are gone/m,
    repair: 'as advised',
  },
  'hooks are switched off by the user': {
    break: ({ editSettings }) => editSettings((value) => ({ ...value, hooksDisabled: true })),
    doctor: ['client.droid.switch', 'broken', /sets "hooksDisabled"/, /Remove that setting/],
    status: /^x Factory droid: .*sets "hooksDisabled"/m,
    repair: ({ editSettings }) => editSettings(({ hooksDisabled: _, ...value }) => value),
  },
  'hooks are switched off by the repository': {
    break: ({ project }) => {
      mkdirSync(join(project, '.factory'))
      writeFileSync(join(project, '.factory/settings.json'), '{"hooksDisabled": true}')
    },
    doctor: ['client.droid.switch', 'broken', /api-server.*sets "hooksDisabled"/, /Remove/],
    status: /^x Factory droid: .*api-server.*sets "hooksDisabled"/m,
    repair: ({ project }) => rmSync(join(project, '.factory'), { recursive: true }),
  },
  'the front door is gone': {
    break: (home) => rmSync(door(home)),
    doctor: ['door.present', 'broken', /^no .*hookbell-hook$/, /doctor --fix/],
    status: /^x no .*hookbell-hook\. Nothing is told\. Run: hookbell doctor --fix$/m,
    repair: 'fix',
  },
  'something else stands in the place of the front door': {
    break: (home) => writeFileSync(door(home), '#!/bin/sh\nexit 1\n'),
    doctor: ['client.droid.canary', 'broken', /but the event was stored nowhere/, /doctor --fix/],
    repair: 'fix',
  },
  'the front door is not executable': {
    break: (home) => chmodSync(door(home), 0o644),
    doctor: ['door.present', 'broken', /is not executable/, /doctor --fix/],
    status: /^x .*is not executable\. Nothing is told/m,
    repair: 'fix',
  },
  'other users can change the worker': {
    break: (home) => chmodSync(runtime(home, 'dist/worker.cjs'), 0o666),
    doctor: ['door.present', 'broken', /can change .*worker\.cjs, so no worker starts/, /--fix/],
    status: /^x another user owns or can change .*worker\.cjs.*Nothing is told/m,
    repair: 'fix',
  },
  'the files that the front door runs are gone': {
    break: (home) => rmSync(runtime(home, 'dist'), { recursive: true }),
    doctor: ['door.present', 'broken', /^no .*worker\.cjs, so no worker starts/, /--fix/],
    status: /^x no .*worker\.cjs.*Nothing is told/m,
    repair: 'fix',
  },
  'Node.js is not at its recorded path': {
    break: (home) => {
      const path = runtime(home, 'pinned.json')
      const pinned = JSON.parse(readFileSync(path, 'utf8'))
      writeFileSync(path, JSON.stringify({ ...pinned, node: '/opt/node-18/bin/node' }))
    },
    doctor: ['door.node', 'broken', /Node\.js is not where it was: \/opt\/node-18/, /--fix/],
    repair: 'fix',
  },
  'the installed copy is an older version': {
    break: (home) => writeFileSync(runtime(home, 'package.json'), '{"version": "0.0.1"}'),
    doctor: ['door.version', 'warning', /the copy is 0\.0\.1, this is/, /--fix/],
    repair: 'fix',
  },
  'the configuration is not JSON': {
    break: ({ writeConfig }) => writeConfig('{'),
    doctor: ['config', 'broken', /config\.json:1:2: not JSON/, /hookbell config edit/],
    status: /^x .*config\.json:1:2: not JSON.*hookbell config edit$/m,
    repair: repairConfig,
  },
  'the configuration has an unknown key': {
    break: toConfig({ ...working, chanels: {} }),
    doctor: ['config', 'broken', /chanels: unknown key/, /Did you mean "channels"\?/],
    status: /^x .*chanels: unknown key.*Did you mean "channels"\?$/m,
    repair: repairConfig,
  },
  'the Slack URL is not a webhook': {
    break: toConfig({
      channels: { team: { type: 'slack', url: 'https://hooks.slack.com/team' } },
      routes: [{ on: ['*'], to: ['team'] }],
    }),
    doctor: ['config.warning', 'warning', /not the URL of an incoming webhook/, /config edit/],
    status: /^x .*channels\.team\.url: not the URL of an incoming webhook/m,
    repair: repairConfig,
  },
  'a secret is not set': {
    break: toConfig({
      channels: { team: { type: 'slack', url: '${SLACK_WEBHOOK_URL}' } },
      routes: [{ on: ['*'], to: ['team'] }],
    }),
    doctor: ['channel.team', 'broken', /SLACK_WEBHOOK_URL\} not set/, /secrets set SLACK_WEBHOOK_/],
    status: /^x channel team: .*SLACK_WEBHOOK_URL\} not set\. Put it into .*secrets\.env$/m,
    repair: 'as advised',
  },
  'the configuration with the only copy of a secret cannot be read': {
    break: async ({ writeConfig, run }) => {
      const team = { type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/abc' }
      await writeConfig(JSON.stringify({ channels: { team } }))
      await run(['worker', '--once'])
      await writeConfig('{')
    },
    doctor: ['channel.team', 'broken', /waits for config\.json/, /^Correct it: hookbell config/],
    status: /^x channel team: waits for config\.json/m,
    repair: repairConfig,
  },
  'other users can read the secrets': {
    break: (home) => writeFileSync(secrets(home), 'A=1', { mode: 0o644 }),
    doctor: ['secrets', 'broken', /other users can read/, /^chmod 600 /],
    status: /^x .*secrets\.env: other users can read it.*chmod 600/m,
    repair: 'fix',
  },
  'other users can change the configuration': {
    break: ({ configDir }) => chmodSync(configDir, 0o777),
    doctor: ['permissions', 'broken', /config: other users can change it/, /chmod go-w/],
    status: /^x .*config: other users can change it/m,
    repair: 'fix',
  },
  'other users can change the state': {
    break: ({ state }) => chmodSync(state, 0o777),
    doctor: ['permissions', 'broken', /state: other users can change it/, /chmod go-w/],
    status: /^x .*state: other users can change it/m,
    repair: 'fix',
  },
  'no route leads to one of the channels': {
    break: toConfig({
      ...working,
      channels: { ...working.channels, more: { type: 'file', path: '~/m' } },
    }),
    doctor: ['channel.more', 'warning', /no route leads to it/, /hookbell config edit/],
    repair: repairConfig,
  },
  'no route leads to any channel': {
    break: toConfig({ ...working, routes: [] }),
    doctor: ['routes', 'broken', /no route leads to a channel: nothing is told/, /config edit/],
    status: /^x no route leads to a channel: nothing is told/m,
    repair: repairConfig,
  },
  'a file is in the place of the spool folder': {
    break: ({ state }) => writeFileSync(join(state, 'spool'), ''),
    doctor: ['permissions', 'broken', /spool: not a folder of this user; events go else/, /mv /],
    status: /^x .*spool: not a folder of this user; events go elsewhere\. Move it away: mv/m,
    repair: 'as advised',
  },
  'the spool is read-only': {
    break: ({ state }) => mkdirSync(join(state, 'spool'), { mode: 0o500 }),
    doctor: [
      'permissions',
      'broken',
      /spool: you cannot write there \(mode 0500\)/,
      /chmod u\+rwx/,
    ],
    status: /^x .*spool: you cannot write there.*chmod u\+rwx/m,
    repair: 'as advised',
  },
  'the disk is full': {
    prelude: `
      cp -a "$STATE" "$STATE.full" && mount -t tmpfs -o mode=700,size=256m x "$STATE"
      cp -a "$STATE.full/." "$STATE" && rm -r "$STATE.full"
      [ ! -e "$HOME/is-full" ] || head -c 300000000 /dev/zero >"$STATE/fill" 2>/dev/null`,
    break: ({ home }) => writeFileSync(join(home, 'is-full'), ''),
    doctor: ['disk', 'warning', /^0 MiB free/, /Make room/],
    repair: ({ home }) => rmSync(join(home, 'is-full')),
  },
  'the clock was set back': {
    break: async ({ accept, run, state }) => {
      accept({ hook_event_name: 'Stop', session_id: 's' })
      await run(['worker', '--once'])
      const path = join(state, 'journal.jsonl')
      const later = (time: string) => String(Number(time) + 86_400_000)
      writeFileSync(path, readFileSync(path, 'utf8').replace(/(?<=:)1\d{12}(?=[,}])/g, later))
    },
    doctor: ['clock', 'warning', /the clock was set back/, /Set the clock/],
    repair: ({ state }) => rmSync(join(state, 'journal.jsonl')),
  },
  'there is no desktop': {
    break: toConfig({}),
    doctor: ['desktop.bus', 'warning', /no desktop bus here/, /channel of another type/],
    repair: repairConfig,
  },
  'the settings of the client are not JSON': {
    break: ({ settings }) => appendFileSync(settings, '{'),
    doctor: ['client.droid.shape', 'broken', /settings\.json:\d+:\d+: /, /Correct it by hand/],
    status: /^x Factory droid: .*settings\.json:\d+:\d+: .*Correct it by hand$/m,
    repair: ({ settings }) => writeFileSync(settings, readFileSync(settings, 'utf8').slice(0, -1)),
  },
  'hooks.json hides our hooks': {
    break: ({ settings }) =>
      writeFileSync(
        settings.replace('settings.json', 'hooks.json'),
        '{"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}',
      ),
    doctor: ['client.droid.in-force', 'broken', /^Stop in .* is hidden by .*hooks\.json/, /init/],
    status: /^x Factory droid: Stop in .* is hidden by .*Run: hookbell init --client droid$/m,
    repair: 'as advised',
  },
  'a command is registered twice': {
    break: ({ editSettings }) =>
      editSettings(({ hooks }) => ({ hooks: { ...hooks, Stop: [...hooks.Stop, hooks.Stop[0]] } })),
    doctor: ['client.droid.duplicates', 'warning', /^Stop stands more than once/, /uninstall/],
    repair: 'as advised',
  },
  'codex has not approved the hooks': {
    client: 'codex',
    doctor: ['client.codex.trust', 'warning', /not approved yet: /, /\/hooks/],
    status: /^x Codex CLI: not approved yet: .*\/hooks$/m,
    repair: approveInCodex,
  },
  'the organization allows only its own hooks': {
    client: 'claude',
    prelude: `
      [ ! -e "$HOME/managed" ] || {
        mkdir -p "$HOME/etc" && cp -a /etc/. "$HOME/etc" && mkdir -p "$HOME/etc/claude-code"
        cp "$HOME/managed" "$HOME/etc/claude-code/managed-settings.json"
        mount --bind "$HOME/etc" /etc
      }`,
    break: ({ home }) => writeFileSync(join(home, 'managed'), '{"allowManagedHooksOnly": true}'),
    doctor: ['client.claude.switch', 'broken', /^\/etc\/.*"allowManagedHooksOnly"/, /Remove/],
    status: /^x Claude Code: \/etc\/.*"allowManagedHooksOnly"/m,
    repair: ({ home }) => rmSync(join(home, 'managed')),
  },
}

// Retried, because a worker that is still exiting may repair a folder during the check.
describe('doctor reports that', { retry: 2 }, () => {
  for (const [title, fault] of Object.entries(faults)) {
    it.skipIf(fault.prelude !== undefined && !canMount)(title, async () => {
      const home = await makeWorkingHome(fault.client ?? 'droid', fault.prelude)
      await fault.break?.(home)

      const status = await home.run(['status'])
      expect(status.stdout).toMatch(fault.status ?? /^/)
      expect(status.exitCode).toBe(fault.status === undefined ? 0 : 1)

      const [id, verdict, seen, advice] = fault.doctor
      const isFixed = fault.repair === 'fix'
      // A fault to repair by hand stays unchanged by --fix.
      const isByHand = typeof fault.repair === 'function'
      const { exitCode, faults } = await home.examine(...(isByHand ? ['--fix'] : []))
      const found = faults.find((one) => one.id === id)
      expect(found).toEqual({
        id,
        status: verdict,
        seen: expect.stringMatching(seen),
        do: expect.stringMatching(advice),
      })
      expect(exitCode).toBe(faults.some((one) => one.status === 'broken') ? 2 : 1)

      if (fault.repair === 'as advised') await followAdvice(found?.do ?? '', home)
      else if (fault.repair !== 'fix') await fault.repair(home)
      const after = await home.examine(...(isFixed ? ['--fix'] : []))
      expect(after.faults.filter((one) => one.id !== 'spool.fallback')).toEqual([])
      expect(after.fixed.length > 0).toBe(isFixed)
      if (fault.status) expect((await home.run(['status'])).stdout).not.toMatch(/^x /m)
    })
  }
})

/** Changes that look like a fault but are harmless: every event is delivered once. */
const harmless: Record<string, Step> = {
  'the same client is registered for the user and the project': ({ run }) =>
    run(['init', '--client', 'droid', '--project', '--yes']),
  'a project with our hooks was deleted': async ({ sh }) => {
    const init = [process.execPath, join(root, 'bin/hookbell'), 'init', '--client', 'droid']
    const line = [...init, '--project', '--yes'].map(shellQuote).join(' ')
    await sh(`mkdir ~/other && cd ~/other && ${line} && rm .factory/settings.json && rm -r ~/other`)
  },
  'a channel gets nothing but the digest': toConfig({
    ...working,
    channels: { ...working.channels, daily: { type: 'file', path: '~/daily.jsonl' } },
    digest: { to: ['daily'], at: '08:00' },
  }),
  'a killed worker left its lock behind': ({ state }) =>
    writeFileSync(join(state, 'worker.lock'), '999999 1 x\n'),
  'the spool was removed': ({ state }) => rmSync(join(state, 'spool'), { recursive: true }),
}

describe('doctor finds no fault, and an event is delivered once, when', () => {
  it.each(Object.entries(harmless))('%s', async (_, change) => {
    const home = await makeWorkingHome('droid')
    home.accept({ hook_event_name: 'SubagentStop', session_id: 'before' })
    await home.run(['worker', '--once'])
    await change(home)
    expect((await home.examine()).faults).toEqual([])
    expect((await home.run(['status'])).exitCode).toBe(0)
    const commands = [home.settings, join(home.project, '.factory/settings.json')]
      .filter((path) => existsSync(path))
      .map((path) => JSON.parse(readFileSync(path, 'utf8')).hooks.Notification[0].hooks[0].command)
    const event = { hook_event_name: 'Notification', message: 'May I?', session_id: 's' }
    for (const command of commands) await home.sh(command, JSON.stringify(event))
    const log = async () => JSON.parse((await home.run(['log', '--json', '--session', 's'])).stdout)
    await expect
      .poll(async () => (await log()).map(outcomeOf).sort())
      .toEqual(['delivered', ...commands.slice(1).map(() => 'suppressed')])
  })
})

const outcomeOf = ({ outcome }: { outcome: string }) => outcome
