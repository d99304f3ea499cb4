import { caFileProblems } from '../config/ca-file.ts'
import { brokenChannels, readyChannels } from '../config/channels.ts'
import { WAITS_FOR_SECRETS } from '../config/current.ts'
import { loadModules } from '../config/module-faults.ts'
import { problemHint } from '../config/problem-hint.ts'
import { commandsToSet } from '../config/secrets/how-to-set.ts'
import { unreachableChannels } from '../config/unreachable-channels.ts'
import { isFailure, isWaitingToSend } from '../journal/history.ts'
import { formatTime } from '../text/local-time.ts'
import { type Check, check, type Facts } from './check.ts'

const EDIT = 'Correct it: hookbell config edit'

/** Checks the configuration, and of each channel whether it is usable, whether anything reaches it, and when it last worked. */
export function checkConfig({ loaded, templateProblems, events }: Facts): Check[] {
  const { config, problem, source, warnings } = loaded
  const unreachable = unreachableChannels(config)
  const names = readyChannels(config)
  const channels = Object.entries(config.channels)
  return [
    problem
      ? check(
          'config',
          'broken',
          `${problem.message} (the ${source} settings are used)`,
          problemHint(problem),
        )
      : check('config', 'ok', source === 'built-in' ? 'the built-in settings' : 'valid'),
    ...[...warnings, ...caFileProblems(config)].map((warning) =>
      check('config.warning', 'warning', warning, howToCorrect(warning)),
    ),
    ...templateProblems.map((problem) =>
      check('templates', 'warning', problem, 'Correct or remove it'),
    ),
    ...channels.flatMap(([name, { why }]) =>
      why === undefined ? [] : [check(`channel.${name}`, 'broken', why, howToRepair(why))],
    ),
    ...brokenChannels(config)
      .filter(({ isStandIn }) => isStandIn)
      .map(({ name, why }) => check(`channel.${name}`, 'warning', why, howToRepair(why))),
    ...(unreachable.length < names.length || (names.length === 0 && channels.length > 0)
      ? []
      : [check('routes', 'broken', 'no route leads to a channel: nobody is notified', EDIT)]),
    ...names.map((name) => checkChannel(name, !unreachable.includes(name), events)),
  ]
}

/** Checks the notifiers of the user's own: whether each can be loaded, and accepts the options of its channel. */
export async function checkModules({ loaded }: Facts): Promise<Check[]> {
  const all = await loadModules(loaded.config)
  return all.map(({ channel, file, fault }) => {
    const id = `channel.${channel}.module`
    if (!fault) return check(id, 'ok', `${file} is loaded, and accepts its options`)
    return check(
      id,
      'broken',
      fault.message,
      fault.hint ?? `Correct it, then: hookbell test ${channel}`,
    )
  })
}

/** What happened last and, if that was no success, when the last success was. */
function checkChannel(name: string, isReachable: boolean, events: Facts['events']): Check {
  const id = `channel.${name}`
  const used = events.filter(({ channels }) => Object.hasOwn(channels, name))
  const last = used.at(-1)?.channels[name]
  const success = used.findLast(({ channels }) => channels[name]?.state === 'delivered')
  const when = last
    ? `${last.state}${isWaitingToSend(last.state) ? ', next' : ''} ${formatTime(last.at)}`
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
  if (isFailure(last?.state)) return check(id, 'warning', seen, test)
  return check(id, last ? 'ok' : 'cannot tell', seen, last ? '' : test)
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
  const names = [...why.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
  if (why === WAITS_FOR_SECRETS) return 'Repair that file, as the checks above say'
  if (names.length === 0) return EDIT
  if (why.endsWith('not set')) return commandsToSet(names).join('; ')
  if (!why.includes('the keychain')) return 'Run that command yourself, and look'
  return `Unlock the keychain, or: hookbell secrets set ${names[0]} --keychain`
}
