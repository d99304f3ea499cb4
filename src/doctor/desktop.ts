import { sessionBus } from '../fs/session-bus.ts'
import { type Check, check, type Facts } from './check.ts'
import { desktopOf } from './system.ts'

const LIMIT_MS = 3000
/** A fixed PATH, because the caller's may contain folders of a repository. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin'

const NAME = 'org.freedesktop.Notifications'
const OBJECT = '/org/freedesktop/Notifications'

/** Whether the desktop keeps notifications back now: KDE Plasma, dunst and GNOME can be asked. */
export async function checkDoNotDisturb({ env: given, loaded }: Facts): Promise<Check[]> {
  const { channels } = loaded.config
  const hasDesktop = Object.values(channels).some(({ type }) => type === 'desktop')
  if (!hasDesktop || desktopOf(given) !== 'linux') return []
  const id = 'desktop.do-not-disturb'
  const bus = await sessionBus(given)
  const env = { ...given, ...('address' in bus && { DBUS_SESSION_BUS_ADDRESS: bus.address }) }
  if ('why' in bus || !(await isRunning(env)))
    return [check(id, 'cannot tell', 'no program that shows notifications was found running')]
  const answers = await Promise.all([
    askProperty(env, NAME, 'Inhibited'),
    askProperty(env, 'org.dunstproject.cmd0', 'paused'),
    askGnome(env),
  ])
  const [plasma, dunst, gnome] = answers
  if (plasma || dunst || gnome) {
    // Unless a setting of Plasma says otherwise.
    const left = dunst ? 'nothing' : 'only critical messages, such as permission questions,'
    return [check(id, 'warning', `on: the desktop shows ${left} now`, 'Switch do-not-disturb off')]
  }
  if (answers.includes(false)) return [check(id, 'ok', 'off')]
  return [check(id, 'cannot tell', 'this desktop does not say')]
}

type Env = Facts['env']

/** Checked first, because a call to a service that does not run would start it. */
async function isRunning(env: Env): Promise<boolean> {
  const bus = ['org.freedesktop.DBus', '/org/freedesktop/DBus'] as const
  return (await call(env, ...bus, 'org.freedesktop.DBus.NameHasOwner', NAME)) === true
}

function askProperty(env: Env, owner: string, property: string): Promise<boolean | undefined> {
  return call(env, NAME, OBJECT, 'org.freedesktop.DBus.Properties.Get', owner, property)
}

/** GNOME has a setting instead. Other desktops have the setting too, but do not follow it. */
async function askGnome(env: Env): Promise<boolean | undefined> {
  if (!/\bGNOME\b/i.test(env.XDG_CURRENT_DESKTOP ?? '')) return undefined
  const words = ['get', 'org.gnome.desktop.notifications', 'show-banners']
  const areShown = truthOf(await ask(env, 'gsettings', words))
  return areShown === undefined ? undefined : !areShown
}

/** Calls a method that takes strings. @returns its answer; undefined if that is not true or false */
async function call(
  env: Env,
  service: string,
  object: string,
  method: string,
  ...texts: string[]
): Promise<boolean | undefined> {
  const gdbus = ['call', '--session', '--timeout', '2', '--dest', service, '--object-path', object]
  const text =
    (await ask(env, 'gdbus', [...gdbus, '--method', method, ...texts])) ||
    (await ask(env, 'dbus-send', [
      '--session',
      '--print-reply',
      `--dest=${service}`,
      object,
      method,
      ...texts.map((one) => `string:${one}`),
    ]))
  return truthOf(text)
}

function truthOf(text: string): boolean | undefined {
  const [word] = /\b(?:true|false)\b/.exec(text) ?? []
  return word === undefined ? undefined : word === 'true'
}

/** Runs a program. @returns its output; '' if it is missing or fails */
async function ask(env: Env, file: string, words: readonly string[]): Promise<string> {
  const { execa } = await import('execa')
  const { failed, stdout } = await execa(file, words, {
    env: { ...env, PATH },
    extendEnv: false,
    cwd: '/',
    stdin: 'ignore',
    timeout: LIMIT_MS,
    reject: false,
  })
  return failed ? '' : stdout
}
