import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { inJsonCommand } from '../support/shell-quote.ts'
import { approveInCodex, type BrokenHome } from './_broken-home.ts'
import { type Fault, testFaults } from './_faults-suite.ts'

const door = ({ state }: BrokenHome) => join(state, 'hookbell-hook')
const runtime = ({ state }: BrokenHome, path: string) => join(state, 'runtime', path)

const faults: Record<string, Fault> = {
  'a session removed the hooks from the settings': {
    break: ({ settings }) => writeFileSync(settings, '{"model": "x"}'),
    doctor: ['client.droid.vanished', 'broken', /hooks are gone from/, /hookbell init --client/],
    status: /^droid +has a problem: the hooks are gone/m,
    repair: 'as advised',
  },
  'a session rewrote the settings without one of the hooks': {
    break: ({ editSettings }) =>
      editSettings(({ hooks: { Stop: _, ...hooks }, ...value }) => ({ ...value, hooks })),
    doctor: [
      'client.droid.vanished',
      'broken',
      /^Stop: gone from .*, registered 20.*, last written 20/,
      /hookbell init --client/,
    ],
    status: /^droid +has a problem: Stop: gone from/m,
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
    status: /^droid +has a problem: the hooks are gone/m,
    repair: 'as advised',
  },
  'hooks are switched off by the user': {
    break: ({ editSettings }) => editSettings((value) => ({ ...value, hooksDisabled: true })),
    doctor: ['client.droid.switch', 'broken', /sets "hooksDisabled"/, /Remove that setting/],
    status: /^droid +has a problem: .*sets "hooksDisabled"/m,
    repair: ({ editSettings }) => editSettings(({ hooksDisabled: _, ...value }) => value),
  },
  'hooks are switched off by the repository': {
    break: ({ project }) => {
      mkdirSync(join(project, '.factory'))
      writeFileSync(join(project, '.factory/settings.json'), '{"hooksDisabled": true}')
    },
    doctor: ['client.droid.switch', 'broken', /api-server.*sets "hooksDisabled"/, /Remove/],
    status: /^droid +has a problem: .*api-server.*sets "hooksDisabled"/m,
    repair: ({ project }) => rmSync(join(project, '.factory'), { recursive: true }),
  },
  'the settings come from another machine': {
    break: ({ settings, state }) =>
      writeFileSync(
        settings,
        readFileSync(settings, 'utf8').replaceAll(inJsonCommand(state), '/Users/alice/state'),
      ),
    doctor: [
      'client.droid.door',
      'broken',
      /settings\.json starts \/Users\/alice\/state\/hookbell-hook, which does not exist$/,
      /^hookbell init --client droid$/,
    ],
    status:
      /^droid +has a problem: .*\/Users\/alice\/.* does not exist\. Run: hookbell init --client droid$/m,
    repair: 'as advised',
  },
  'the hooks start the front door of another state folder': {
    break: ({ settings, state }) => {
      renameSync(state, `${state} of before`)
      const text = readFileSync(settings, 'utf8')
      writeFileSync(
        settings,
        text.replaceAll(inJsonCommand(state), `${inJsonCommand(state)} of before`),
      )
    },
    doctor: [
      'client.droid.door',
      'warning',
      /of before\/hookbell-hook: its events are not stored here$/,
      /^hookbell init --client droid, or set HOOKBELL_STATE_DIR='.* of before'$/,
    ],
    status: /^droid +has a problem: .*its events are not stored here/m,
    repair: 'as advised',
  },
  'the settings of a project come from another machine': {
    break: async ({ run, project, settings, state }) => {
      await run(['init', '--client', 'droid', '--project', '--yes'])
      const text = readFileSync(settings, 'utf8').replaceAll(
        inJsonCommand(state),
        '/Users/alice/state',
      )
      await run(['uninstall', '--client', 'droid', '--user', '--yes'])
      writeFileSync(join(project, '.factory/settings.json'), text)
    },
    doctor: [
      'client.droid.door',
      'broken',
      /api-server.*settings\.json starts \/Users\/alice\//,
      /^In .*api-server: hookbell init --client droid --project$/,
    ],
    status: /^droid +has a problem: .*api-server.* does not exist/m,
    repair: 'as advised',
  },
  'the front door is gone': {
    break: (home) => rmSync(door(home)),
    doctor: ['door.present', 'broken', /^no .*hookbell-hook$/, /doctor --fix/],
    status: /^x no .*hookbell-hook\. Nobody is notified\. Run: hookbell doctor --fix$/m,
    repair: 'fix',
  },
  'another program is in the place of the front door': {
    break: (home) => writeFileSync(door(home), '#!/bin/sh\nexit 1\n'),
    doctor: ['client.droid.canary', 'broken', /but the event was stored nowhere/, /doctor --fix/],
    repair: 'fix',
  },
  'the front door is not executable': {
    break: (home) => chmodSync(door(home), 0o644),
    doctor: ['door.present', 'broken', /is not executable/, /doctor --fix/],
    status: /^x .*is not executable\. Nobody is notified/m,
    repair: 'fix',
  },
  'other users can change the front door': {
    break: (home) => chmodSync(door(home), 0o777),
    doctor: ['door.present', 'broken', /can change .*hookbell-hook, which agents run$/, /--fix/],
    status: /^x another user owns or can change .*hookbell-hook.* Run: hookbell doctor --fix$/m,
    repair: 'fix',
  },
  'other users can change the recorded paths': {
    break: (home) => chmodSync(runtime(home, 'pinned.json'), 0o666),
    doctor: ['door.present', 'broken', /can change .*pinned\.json, so no worker starts/, /--fix/],
    status: /^x another user owns or can change .*pinned\.json.*Nobody is notified/m,
    repair: 'fix',
  },
  'the recorded paths are damaged': {
    break: (home) => writeFileSync(runtime(home, 'pinned.json'), '{'),
    doctor: ['door.present', 'broken', /^.*pinned\.json is damaged, so no worker starts/, /--fix/],
    status: /^x .*pinned\.json is damaged.*Nobody is notified/m,
    repair: 'fix',
  },
  'other users can change the worker': {
    break: (home) => chmodSync(runtime(home, 'dist/worker.cjs'), 0o666),
    doctor: ['door.present', 'broken', /can change .*worker\.cjs, so no worker starts/, /--fix/],
    status: /^x another user owns or can change .*worker\.cjs.*Nobody is notified/m,
    repair: 'fix',
  },
  'other users can change the code that the worker loads': {
    break: (home) => chmodSync(runtime(home, 'dist/worker-code.cjs'), 0o666),
    doctor: ['door.present', 'broken', /can change .*worker-code\.cjs, so no worker/, /--fix/],
    status: /^x another user owns or can change .*worker-code\.cjs.*Nobody is notified/m,
    repair: 'fix',
  },
  'other users can change a package that the worker loads': {
    break: (home) => chmodSync(runtime(home, 'dist/packages/zod.cjs'), 0o666),
    doctor: ['door.present', 'broken', /can change .*zod\.cjs, so no worker/, /--fix/],
    status: /^x another user owns or can change .*zod\.cjs.*Nobody is notified/m,
    repair: 'fix',
  },
  'other users can replace the packages that the worker loads': {
    break: (home) => chmodSync(runtime(home, 'dist/packages'), 0o777),
    doctor: ['door.present', 'broken', /can change .*packages, so no worker/, /--fix/],
    status: /^x another user owns or can change .*packages,.*Nobody is notified/m,
    repair: 'fix',
  },
  'the files that the front door runs are gone': {
    break: (home) => rmSync(runtime(home, 'dist'), { recursive: true }),
    doctor: ['door.present', 'broken', /^no .*worker\.cjs, so no worker starts/, /--fix/],
    status: /^x no .*worker\.cjs.*Nobody is notified/m,
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
  'the installed copy is another build of the same version': {
    break: (home) => appendFileSync(runtime(home, 'dist/worker-code.cjs'), '//'),
    doctor: ['door.version', 'warning', /the copy is another build of \d/, /--fix/],
    repair: 'fix',
  },
  'the settings of the client are not JSON': {
    break: ({ settings }) => appendFileSync(settings, '{'),
    doctor: ['client.droid.shape', 'broken', /settings\.json:\d+:\d+: /, /Correct it by hand/],
    status: /^droid +has a problem: .*settings\.json:\d+:\d+: .*Correct it by hand$/m,
    repair: ({ settings }) => writeFileSync(settings, readFileSync(settings, 'utf8').slice(0, -1)),
  },
  'the settings file is a folder': {
    break: ({ settings }) => {
      rmSync(settings)
      mkdirSync(settings)
    },
    doctor: ['client.droid.shape', 'broken', /settings\.json: not a regular file$/, /Correct it/],
    status: /^droid +has a problem: .*settings\.json: not a regular file/m,
    repair: async ({ settings, run }) => {
      rmSync(settings, { recursive: true })
      await run(['init', '--client', 'droid', '--yes'])
    },
  },
  'the folder of the settings is a file': {
    break: ({ settings }) => {
      renameSync(dirname(settings), `${settings}.before`.replace('.factory/', ''))
      writeFileSync(dirname(settings), '')
    },
    doctor: [
      'client.droid.shape',
      'broken',
      /settings\.json: a part of this path is not a folder$/,
      /Correct it/,
    ],
    status: /^droid +has a problem: .*settings\.json: a part of this path is not a folder/m,
    repair: ({ settings }) => {
      rmSync(dirname(settings))
      renameSync(`${settings}.before`.replace('.factory/', ''), dirname(settings))
    },
  },
  'hooks.json hides our hooks': {
    break: ({ settings }) =>
      writeFileSync(
        settings.replace('settings.json', 'hooks.json'),
        '{"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}',
      ),
    doctor: ['client.droid.in-force', 'broken', /^Stop in .* is hidden by .*hooks\.json/, /init/],
    status: /^droid +has a problem: Stop in .* is hidden by .*Run: hookbell init --client droid$/m,
    repair: 'as advised',
  },
  'a command is registered twice': {
    break: ({ editSettings }) =>
      editSettings(({ hooks }) => ({ hooks: { ...hooks, Stop: [...hooks.Stop, hooks.Stop[0]] } })),
    doctor: ['client.droid.duplicates', 'warning', /^Stop: registered more than once/, /uninstall/],
    repair: 'as advised',
  },
  'codex has not approved the hooks': {
    client: 'codex',
    doctor: ['client.codex.trust', 'warning', /not approved yet: /, /\/hooks/],
    status: /^codex +has a problem: not approved yet: .*\/hooks/m,
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
    status: /^claude +has a problem: \/etc\/.*"allowManagedHooksOnly"/m,
    repair: ({ home }) => rmSync(join(home, 'managed')),
  },
}

testFaults(faults)
