import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sessionFacts } from '../../src/hook/session-env.ts'
import { makeFolder } from '../support/folder.ts'
import { makeHome, root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { abstractName, listenAs, strangers } from '../support/stranger.ts'

const page = readFileSync(join(root, 'docs/front-door.md'), 'utf8')

/** What a hostile repository has prepared. */
interface Trap {
  /** Folders that everybody may write to, each with a socket `bus` of another user if there is one. */
  folders: string[]
  /** The names of their abstract sockets. */
  names: string[]
  /** A file that no value may create. */
  canary: string
}

interface Row {
  values(trap: Trap): string[]
  /** The client whose questions the variable may silence. */
  silences?: string
  /** Whether it may name the project in the title. */
  namesProject?: true
}

const words = ({ canary }: Trap) => [
  '0',
  '1',
  `\`touch ${canary}\`$(touch ${canary}); touch ${canary}`,
  '\u001b]0;x\u0007{{ title }}<!channel>',
  '../'.repeat(300),
]
const busAddresses = ({ folders, names, canary }: Trap) => [
  ...names.map((name) => `unix:abstract=${name},guid=0`),
  ...folders.flatMap((folder) => [`unix:path=${folder}/bus`, `unix:path=${folder}/%62us,guid=0`]),
  `unix:path=/none;${names.map((name) => `unix:abstract=${name}`).join(';')}`,
  `unixexec:path=/usr/bin/touch,argv1=${canary}`,
  'tcp:host=127.0.0.1,port=9',
  'autolaunch:',
]
const sockets = ({ folders }: Trap) => folders.map((folder) => `${folder}/bus`)
const any: Row = { values: words }
const folder: Row = {
  values: (trap) => [...trap.folders, trap.canary, ...words(trap)],
  namesProject: true,
}

/** Hostile values of each recorded variable. A new variable needs a row here and in docs/front-door.md. */
const rows: Readonly<Record<string, Row>> = {
  DBUS_SESSION_BUS_ADDRESS: { values: (trap) => [...busAddresses(trap), ...words(trap)] },
  XDG_RUNTIME_DIR: { values: (trap) => [...trap.folders, ...words(trap)] },
  TMUX: { values: (trap) => [...sockets(trap).map((path) => `${path},1,0`), ...words(trap)] },
  TMUX_PANE: { values: (trap) => ['%0', '-', ...words(trap)] },
  STY: { values: (trap) => ['1.pts-0.host', ...words(trap)] },
  TERM: any,
  TERM_PROGRAM: any,
  LC_TERMINAL: any,
  SSH_CONNECTION: any,
  SSH_TTY: { values: (trap) => [trap.canary, ...sockets(trap), ...words(trap)] },
  FACTORY_PROJECT_DIR: folder,
  CLAUDE_PROJECT_DIR: folder,
  DROID_DISABLE_NOTIFICATIONS: {
    values: (trap) => ['true', 'YES', ...words(trap)],
    silences: 'droid',
  },
  CLAUDE_CODE_SESSION_ATTENDED: any,
  CLAUDE_CODE_ENTRYPOINT: { values: (trap) => ['sdk-cli', 'cli', ...words(trap)] },
  QWEN_CODE_MESSAGING_SOCKET: { values: (trap) => [...sockets(trap), ...words(trap)] },
}

describe('the variables of a session that are recorded', () => {
  it('are the same for both front doors', () => {
    const sh = readFileSync(join(root, 'bin/hookbell-hook'), 'utf8')
    const [, list = ''] = /^header\(\) \{[^}]*?for name in ([^;]*);/m.exec(sh) ?? []
    expect(list.replaceAll('\\\n', ' ').split(/\s+/)).toEqual(sessionFacts)
  })

  it('each have hostile values here, and a row that says what they may decide', () => {
    expect(Object.keys(rows)).toEqual(sessionFacts)
    const [, table = ''] = /\n## The variables of a session\n([\s\S]*?)\n## /.exec(page) ?? []
    const first = table.split('\n').flatMap((line) => /^\| (`[^|]*) \|/.exec(line)?.[1] ?? [])
    const named = first.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name))
    expect(named).toEqual(sessionFacts)
  })
})

describe.runIf(process.platform === 'linux')('a hostile value of a recorded variable', () => {
  it('changes and silences no question', async () => {
    const { trap, reached } = await setTrap()
    const { ask, told, triedOnDesktop } = await makeUser()
    const clients = ['claude', 'droid', 'qwen']
    const plain = new Map(clients.map((client) => [client, ask(client, {})]))
    const asked = Object.entries(rows).flatMap(([variable, { values, silences, namesProject }]) =>
      values(trap).flatMap((value) =>
        clients.map((client) => ({
          ...{ variable, value, client, namesProject },
          id: ask(client, { [variable]: value }),
          mayBeSilent: client === silences,
        })),
      ),
    )
    const expected = asked.filter(({ mayBeSilent }) => !mayBeSilent)
    await expect.poll(() => expected.filter(({ id }) => !told(id))).toEqual([])
    const changed = expected.filter(({ client, id, namesProject }) => {
      const textOf = (event = '') => told(event)?.replace(namesProject ? /^[^\n:]*: / : '', '')
      return textOf(id) !== textOf(plain.get(client))
    })
    expect(changed).toEqual([])
    const least = expected.length + plain.size
    await expect.poll(triedOnDesktop).toBeGreaterThanOrEqual(least)
    expect(existsSync(trap.canary)).toBe(false)
    expect(reached()).toEqual(strangers.flatMap(() => [0, 0]))
  })
})

/** Lets every other user that root can become here listen. */
async function setTrap(): Promise<{ trap: Trap; reached(): number[] }> {
  const outer = await makeFolder()
  await chmod(outer, 0o711)
  const trap: Trap = { folders: [], names: [], canary: join(outer, 'canary') }
  const counts: (() => number)[] = []
  for (const [, words] of strangers) {
    const folder = await makeFolder()
    await chmod(folder, 0o1777)
    const name = abstractName()
    counts.push(await listenAs(words, join(folder, 'bus')), await listenAs(words, `@${name}`))
    trap.folders.push(folder)
    trap.names.push(name)
  }
  return { trap, reached: () => counts.map((count) => count()) }
}

/** A user who is told of questions on the desktop and by a webhook. */
async function makeUser() {
  const { url, received } = await startReceiver()
  const body = { session: '{{ sessionId }}', text: '{{ title }}\n{{ body }}\n{{ urgency }}' }
  const home = await makeHome({
    channels: { desk: { type: 'desktop' }, team: { type: 'webhook', url, body } },
    routes: [{ on: ['permission'], to: ['desk', 'team'] }],
    lingerSeconds: 1,
  })
  let count = 0
  const ask = (client: string, env: Record<string, string>) => {
    count += 1
    const id = `session-${count}`
    const event = {
      hook_event_name: 'Notification',
      notification_type: 'permission_prompt',
      message: 'May I run: make deploy',
      session_id: id,
      cwd: home.project,
    }
    const words = [join(root, 'bin/hookbell-hook'), '--client', client]
    const options = { env: { ...home.env, ...env }, input: JSON.stringify(event), cwd: '/' }
    expect(spawnSync('sh', words, options).status).toBe(0)
    return id
  }
  /** What the webhook got about a session. */
  const told = (id: string): string | undefined => {
    const body = received.find(({ body }) => body.includes(`"session":"${id}"`))?.body
    return body === undefined ? undefined : JSON.parse(body).text
  }
  /** How many questions the desktop channel has tried to show. */
  const triedOnDesktop = () => {
    const lines = home.read('state/journal.jsonl').split('\n').filter(Boolean)
    const entries = lines
      .map((line) => JSON.parse(line))
      .filter(({ channel }) => channel === 'desk')
    return new Set(entries.map(({ id }) => id)).size
  }
  return { ask, told, triedOnDesktop }
}
