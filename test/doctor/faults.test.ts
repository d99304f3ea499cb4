import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fallbackFolders } from '../../src/config/pinned.ts'
import { acceptEvent } from '../../src/spool/event-file.ts'
import { root } from '../support/home.ts'
import { inJsonCommand, shellQuote } from '../support/shell-quote.ts'
import { type BrokenHome, canMount, makeWorkingHome, working } from './_broken-home.ts'
import { type Fault, type Step, testFaults } from './_faults-suite.ts'

const toConfig =
  (config: object): Step =>
  ({ writeConfig }) =>
    writeConfig(JSON.stringify(config))
const repairConfig = toConfig(working)
const secrets = ({ configDir }: BrokenHome) => join(configDir, 'secrets.env')

/** The file `is-full` fills the disk. */
const smallDisk = `
  cp -a "$STATE" "$STATE.full" && mount -t tmpfs -o mode=700,size=256m x "$STATE"
  cp -a "$STATE.full/." "$STATE" && rm -r "$STATE.full"
  [ ! -e "$HOME/is-full" ] || head -c 300000000 /dev/zero >"$STATE/fill" 2>/dev/null`

const faults: Record<string, Fault> = {
  'the configuration is not JSON': {
    break: ({ writeConfig }) => writeConfig('{'),
    doctor: ['config', 'broken', /config\.json:1:2: not JSON/, /hookbell config edit/],
    status: /^x .*config\.json:1:2: not JSON.*hookbell config edit$/m,
    repair: repairConfig,
  },
  'the configuration is a folder': {
    break: ({ configDir }) => {
      rmSync(join(configDir, 'config.json'))
      mkdirSync(join(configDir, 'config.json'))
    },
    doctor: ['config', 'broken', /config\.json: not a regular file/, /^Put a regular file in its/],
    status: /^x .*config\.json: not a regular file.* Put a regular file in its place$/m,
    repair: async (home) => {
      rmSync(join(home.configDir, 'config.json'), { recursive: true })
      await repairConfig(home)
    },
  },
  'the configuration is a link to nothing': {
    break: ({ configDir }) => {
      rmSync(join(configDir, 'config.json'))
      symlinkSync('elsewhere.json', join(configDir, 'config.json'))
    },
    doctor: [
      'config',
      'broken',
      /config\.json: a link to nothing/,
      /^Repair the link, or remove it/,
    ],
    status:
      /^x .*config\.json: a link to nothing \(the last good settings are used\)\. Repair the/m,
    repair: ({ configDir }) =>
      writeFileSync(join(configDir, 'elsewhere.json'), JSON.stringify(working), { mode: 0o600 }),
  },
  'the configuration has an unknown key': {
    break: toConfig({ ...working, chanels: {} }),
    doctor: ['config', 'broken', /chanels: unknown key/, /Did you mean "channels"\?/],
    status: /^x .*chanels: unknown key.*Did you mean "channels"\?$/m,
    repair: repairConfig,
  },
  'everything is muted': {
    break: ({ run }) => run(['mute', '2h']),
    doctor: ['mute', 'warning', /^Muted until \d{4}-/, /^hookbell unmute$/],
    repair: 'as advised',
  },
  'everything is on hold': {
    break: ({ run }) => run(['hold']),
    doctor: ['hold', 'warning', /nothing is sent/, /^hookbell resume$/],
    repair: 'as advised',
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
    status:
      /^x channel team: .*_URL\} not set\. Set it: .*hookbell.* secrets set SLACK_WEBHOOK_URL$/m,
    repair: 'as advised',
  },
  'a template cannot be used': {
    break: ({ configDir }) => {
      mkdirSync(join(configDir, 'templates/plain'), { recursive: true })
      writeFileSync(join(configDir, 'templates/plain/done.liquid'), '{{ project')
    },
    doctor: [
      'templates',
      'warning',
      /done\.liquid: .* not closed.* built-in template is used/,
      /^Correct or/,
    ],
    status: /^x .*done\.liquid: .* not closed/m,
    repair: ({ configDir }) => rmSync(join(configDir, 'templates'), { recursive: true }),
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
    doctor: ['routes', 'broken', /no route leads to a channel: nobody is notified/, /config edit/],
    status: /^x no route leads to a channel: nobody is notified/m,
    repair: repairConfig,
  },
  'the spool folder is a file': {
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
    prelude: smallDisk,
    break: ({ home }) => writeFileSync(join(home, 'is-full'), ''),
    doctor: ['disk', 'warning', /the disk is full; events are stored in /, /^Make room$/],
    status: /^x .*: the disk is full; events are stored in .*\. Make room$/m,
    repair: ({ home }) => rmSync(join(home, 'is-full')),
  },
  'the disk is read-only': {
    prelude: `
      mount --bind "$STATE" "$STATE"
      [ ! -e "$HOME/is-read-only" ] || mount -o remount,bind,ro "$STATE"`,
    break: ({ home }) => writeFileSync(join(home, 'is-read-only'), ''),
    doctor: ['disk', 'warning', /the disk is read-only; events are stored in /, /writable$/],
    status: /^x .*: the disk is read-only; events are stored in .*\. Make it writable$/m,
    repair: ({ home }) => rmSync(join(home, 'is-read-only')),
  },
  'neither the state folder nor its fallback can take an event': {
    prelude: `
      cp -a "$STATE" "$STATE.full" && mount -t tmpfs -o mode=700,nr_inodes=500 x "$STATE"
      cp -a "$STATE.full/." "$STATE" && rm -r "$STATE.full"
      mkdir -p "$XDG_RUNTIME_DIR" && mount -t tmpfs -o mode=700,size=1m x "$XDG_RUNTIME_DIR"
      if [ -e "$HOME/is-full" ]; then
        head -c 2000000 /dev/zero >"$XDG_RUNTIME_DIR/fill"
        seq 500 | (cd "$STATE" && xargs touch)
      fi 2>/dev/null`,
    break: ({ home }) => writeFileSync(join(home, 'is-full'), ''),
    doctor: ['disk', 'broken', /no room for another file; events are lost, .*is full$/, /^Make/],
    status: /^x .*: the disk has no room for another file; events are lost, .*\. Make room$/m,
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
    doctor: ['desktop.bus', 'warning', /no D-Bus session bus/, /another channel with: .*init/],
    repair: repairConfig,
  },
}

testFaults(faults)

it.skipIf(!canMount)('status names the fallback folder once while the disk is full', async () => {
  const home = await makeWorkingHome('droid', smallDisk)
  writeFileSync(join(home.home, 'is-full'), '')
  const [fallback = ''] = fallbackFolders(home.state)
  acceptEvent(fallback, { client: 'droid', env: {} }, Buffer.from('{"hook_event_name":"Stop"}'))
  const { stdout } = await home.run(['status'])
  expect(stdout).toMatch(/^events +1: /m)
  expect(stdout.split('\n').filter((line) => line.includes(fallback))).toEqual([
    `x ${home.state}: the disk is full; events are stored in ${fallback}. Make room`,
  ])
})

it.skipIf(!canMount).each([
  [
    'it is a file',
    (fallback: string) => {
      mkdirSync(dirname(fallback))
      writeFileSync(fallback, '')
    },
    'it is not a folder of this user',
  ],
  [
    'it cannot be made',
    (fallback: string) => writeFileSync(dirname(fallback), ''),
    'nothing can be written there',
  ],
])(
  'status says that a full disk loses events if the fallback folder takes none: %s',
  async (_, occupy, reason) => {
    const home = await makeWorkingHome('droid', smallDisk)
    writeFileSync(join(home.home, 'is-full'), '')
    const [fallback = ''] = fallbackFolders(home.state)
    occupy(fallback)
    const { stdout } = await home.run(['status'])
    expect(stdout).toContain(
      `x ${home.state}: the disk is full; events are lost, because ${fallback} takes none either: ${reason}. Make room`,
    )
  },
)

it('doctor reports a fault that its own test event repairs at once', async () => {
  const home = await makeWorkingHome('droid')
  const [door, spool] = [join(home.state, 'hookbell-hook'), join(home.state, 'spool')]
  mkdirSync(spool, { mode: 0o500 })
  const repair = `#!/bin/sh\nchmod 700 ${shellQuote(spool)}\n`
  writeFileSync(door, readFileSync(door, 'utf8').replace('#!/bin/sh\n', repair))
  const { faults } = await home.examine()
  expect(faults.map(({ id }) => id)).toContain('permissions')
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
  'the home was renamed after init wrote the settings': ({ home, state }) => {
    const path = join(state, 'places.json')
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(home, '/home/of-before'))
  },
  'the home has two paths': ({ home, state, settings }) => {
    symlinkSync('.', join(home, 'again'))
    const again = (path: string) => path.replace(home, join(home, 'again'))
    const text = readFileSync(settings, 'utf8')
    writeFileSync(settings, text.replaceAll(inJsonCommand(state), inJsonCommand(again(state))))
    const path = join(state, 'places.json')
    const places = JSON.parse(readFileSync(path, 'utf8'))
    const twice = [...places, { ...places[0], path: again(settings) }]
    writeFileSync(path, JSON.stringify(twice))
  },
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
