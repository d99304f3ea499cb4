import { existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { WAITS_FOR_SECRETS } from '../config/current.ts'
import { problemHint } from '../config/problem-hint.ts'
import { unreachableChannels } from '../config/reach.ts'
import { foldersAtRisk } from '../config/folders-at-risk.ts'
import { sessionBus } from '../fs/session-bus.ts'
import { type ChannelStatus, hasDead } from '../journal/history.ts'
import { spoolAtRisk } from '../spool/at-risk.ts'
import { formatTime } from '../text/local-time.ts'
import { quoteWord } from '../text/shell.ts'
import { type Check, check, type Facts } from './check.ts'

const LOW_BYTES = 64 * 1024 * 1024
const EDIT = 'Correct it: hookbell config edit'
const OLD_MS = 3600 * 1000

/** Checks what waits, what gave up, whether there is disk space, and whether other users can write or read. */
export function checkSpool(facts: Facts): Check[] {
  const { events, stateDir, configDir, now, folders } = facts
  const waiting = events.filter(({ outcome }) => outcome === 'waiting')
  const dead = events.filter(hasDead).length
  const oldest = now - Math.min(now, ...waiting.map(({ acceptedAt }) => acceptedAt))
  const minutes = Math.round(oldest / 60_000)
  const seen =
    waiting.length === 0 ? 'nothing waits' : `${waiting.length} wait, the oldest ${minutes} min`
  const risks = [...foldersAtRisk(configDir, stateDir), ...spoolAtRisk(stateDir)]
  return [
    check(
      'spool.backlog',
      oldest > OLD_MS ? 'warning' : 'ok',
      seen,
      oldest > OLD_MS ? 'hookbell log' : '',
    ),
    dead > 0
      ? check('spool.dead', 'warning', `${dead} could not be delivered`, 'hookbell dead')
      : check('spool.dead', 'ok', 'none'),
    ...folders
      .slice(1)
      .map((folder) =>
        check(
          'spool.fallback',
          'warning',
          `events were stored in ${folder}`,
          `They are told from there; repair ${stateDir}`,
        ),
      ),
    ...risks.map((risk) => check('permissions', 'broken', risk.message, risk.hint ?? '')),
    ...(risks.length === 0 ? [noRisk(process.platform)] : []),
    checkDisk(stateDir),
    ...checkPrivacy(facts),
  ]
}

export function noRisk(platform: NodeJS.Platform): Check {
  if (platform === 'win32') return check('permissions', 'cannot tell', 'not checked on Windows')
  return check('permissions', 'ok', 'only you can write')
}

function checkDisk(stateDir: string): Check {
  try {
    const { bavail, bsize } = statfsSync(stateDir)
    const free = bavail * bsize
    const seen = `${Math.round(free / 1024 / 1024)} MiB free`
    return check(
      'disk',
      free < LOW_BYTES ? 'warning' : 'ok',
      seen,
      free < LOW_BYTES ? 'Make room' : '',
    )
  } catch {
    return check('disk', 'cannot tell', `no ${stateDir}`)
  }
}

/** Only its owner may read secrets.env. */
function checkPrivacy({ configDir }: Facts): Check[] {
  const path = join(configDir, 'secrets.env')
  if (process.platform === 'win32' || !existsSync(path)) return []
  const isOpen = (statSync(path).mode & 0o077) !== 0
  if (!isOpen) return [check('secrets', 'ok', 'secrets.env is private')]
  return [
    check('secrets', 'broken', `other users can read ${path}`, `chmod 600 ${quoteWord(path)}`),
  ]
}

/** Checks the configuration, and of each channel whether it is usable, whether anything reaches it, and when it last worked. */
export function checkConfig({ loaded, templateProblems, events }: Facts): Check[] {
  const { config, problem, unusable, unusableDirect = {}, source, warnings } = loaded
  const unreachable = unreachableChannels(config)
  const names = Object.keys(config.channels)
  const hasUnusable = Object.keys(unusable).length > 0
  return [
    problem
      ? check(
          'config',
          'broken',
          `${problem.message} (the ${source} settings are used)`,
          problemHint(problem),
        )
      : check('config', 'ok', source === 'built-in' ? 'the built-in settings' : 'valid'),
    ...warnings.map((warning) =>
      check('config.warning', 'warning', warning, howToCorrect(warning)),
    ),
    ...templateProblems.map((problem) =>
      check('templates', 'warning', problem, 'Correct or remove it'),
    ),
    ...Object.entries(unusable).map(([name, why]) =>
      check(`channel.${name}`, 'broken', why, howToRepair(why)),
    ),
    ...Object.entries(unusableDirect).map(([name, why]) =>
      check(`channel.${name}`, 'warning', why, howToRepair(why)),
    ),
    ...(unreachable.length < names.length || (names.length === 0 && hasUnusable)
      ? []
      : [check('routes', 'broken', 'no route leads to a channel: nothing is told', EDIT)]),
    ...names.map((name) => checkChannel(name, !unreachable.includes(name), events)),
  ]
}

/** What happened last and, if that was no success, when the last success was. */
function checkChannel(name: string, isReachable: boolean, events: Facts['events']): Check {
  const id = `channel.${name}`
  const used = events.filter(({ channels }) => Object.hasOwn(channels, name))
  const last = used.at(-1)?.channels[name]
  const success = used.findLast(({ channels }) => channels[name]?.state === 'delivered')
  const when = last
    ? `${last.state}${isOpen(last) ? ', next' : ''} ${formatTime(last.at)}`
    : 'nothing sent yet'
  const succeeded = success?.channels[name]
  const before = succeeded ? `the last success ${formatTime(succeeded.at)}` : 'no success yet'
  const seen = !last || last.state === 'delivered' ? when : `${when}: ${last.detail}; ${before}`
  if (!isReachable)
    return check(
      id,
      'warning',
      `no route leads to it; ${seen}`,
      'Name it in a route: hookbell config edit',
    )
  if (last?.state === 'deferred') return check(id, 'warning', seen, 'hookbell flush')
  const test = `hookbell test ${name}`
  if (last?.state === 'exhausted' || last?.state === 'unavailable')
    return check(id, 'warning', seen, test)
  return check(id, last ? 'ok' : 'cannot tell', seen, last ? '' : test)
}

/** Whether it is still to be sent, at the time that it names. */
function isOpen({ state }: ChannelStatus): boolean {
  return state === 'deferred' || state === 'held'
}

/** Not every warning is about the file that `config edit` opens. */
function howToCorrect(warning: string): string {
  if (/[\\/]config\.jsonc: /.test(warning)) return 'Rename it, or remove it'
  const isSecrets = /[\\/]secrets\.env:\d+: /.test(warning)
  return isSecrets ? 'Remove that line, or: hookbell secrets set NAME' : 'hookbell config edit'
}

/**
 * Setting a secret helps only if it is not set; otherwise the command that should fetch it failed. If the reason names
 * none, the secret is in the configuration itself.
 */
export function howToRepair(why: string): string {
  const names = [...why.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)
  if (why === WAITS_FOR_SECRETS) return 'Repair that file, as the checks above say'
  if (names.length === 0) return EDIT
  if (why.endsWith('not set')) return names.map((name) => `hookbell secrets set ${name}`).join(', ')
  if (!why.includes('the keychain')) return 'Run that command yourself, and look'
  return `Unlock the keychain, or: hookbell secrets set ${names[0]} --keychain`
}

/** Checks what on this machine decides whether messages can be shown: the desktop bus, the platform and the clock. */
export async function checkSystem({ env, loaded, events, now }: Facts): Promise<Check[]> {
  const hasDesktop = Object.values(loaded.config.channels).some(({ type }) => type === 'desktop')
  const desktop = desktopOf(env)
  const bus = await sessionBus(env)
  const future = events.some(({ acceptedAt }) => acceptedAt > now + 60_000)
  const traits = [
    env.SSH_CONNECTION && 'SSH',
    env.WSL_DISTRO_NAME && 'WSL',
    (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) && 'container',
  ].filter(Boolean)
  return [
    ...(hasDesktop && desktop === 'linux'
      ? [
          bus !== undefined
            ? check('desktop.bus', 'ok', bus.replace(/,guid=.*/, ''))
            : check(
                'desktop.bus',
                'warning',
                'no desktop bus here',
                'Set up another channel with: hookbell init',
              ),
        ]
      : []),
    ...(hasDesktop ? (permission[desktop] ?? []) : []),
    check('system', 'ok', [process.platform, `Node.js ${process.version}`, ...traits].join(', ')),
    future
      ? check(
          'clock',
          'warning',
          'events lie in the future: the clock was set back',
          'Set the clock',
        )
      : check('clock', 'ok', new Date(now).toISOString()),
  ]
}

/** On WSL the desktop is that of Windows. */
export function desktopOf(env: Facts['env']): NodeJS.Platform {
  return env.WSL_DISTRO_NAME ? 'win32' : process.platform
}

/** Systems on which a person has to allow notifications, and on which no program can ask for that. */
const permission: Readonly<Partial<Record<NodeJS.Platform, readonly Check[]>>> = {
  darwin: [
    check(
      'desktop.permission',
      'cannot tell',
      'macOS does not say whether notifications are allowed',
      'See System Settings, Notifications: allow "Script Editor", and "terminal-notifier" if it is listed',
    ),
  ],
  win32: [
    check(
      'desktop.permission',
      'cannot tell',
      'Windows does not say whether notifications are allowed',
      'See Settings, System, Notifications',
    ),
  ],
}
