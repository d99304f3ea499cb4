import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { defineCommand } from 'citty'
import { paint, printJson, say, table } from '../cli/output.ts'
import { CurrentConfig } from '../config/current.ts'
import { parseConfig } from '../config/load/load.ts'
import { configDir, configPath, stateDir } from '../config/paths.ts'
import type { Config } from '../config/schema/schema.ts'
import { errorCode, usageError } from '../errors.ts'
import { type Simulation, simulate } from '../simulate/simulate.ts'
import { cleanText, cutText, oneLine } from '../text/clean.ts'
import { counted } from '../text/counted.ts'
import { formatTime } from '../text/local-time.ts'
import { quoteWord } from '../text/shell.ts'
import { shortSession } from '../text/short-session.ts'
import { readEntries, stateFolders } from './_events.ts'
import { sinceTime } from './_since.ts'

const MOST_LINES = 10
const MOST_TEXT = 60

export const simulateCommand = defineCommand({
  args: {
    config: {
      type: 'string',
      description: 'The configuration to try. Default: the current one',
      valueHint: 'FILE',
    },
    since: {
      type: 'string',
      default: '7d',
      description: 'Judge events since then, such as 2h, 7d or 2026-11-20',
      valueHint: 'TIME',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args }) {
    const since = sinceTime(args.since, 'simulate')
    const config = args.config === undefined ? currentConfig() : readConfig(args.config)
    const entries = await readEntries(stateFolders())
    const result = simulate({ entries, config, since, host: hostname() })
    if (args.json) printJson(result)
    else say(describe(result, since))
    return result.missed.length > 0 ? 1 : 0
  },
})

function currentConfig(): Config {
  const loaded = new CurrentConfig(configDir(), stateDir()).get()
  if (loaded.problem) throw loaded.problem
  return loaded.config
}

/** @throws HookbellError E_USAGE if there is no such file, E_CONFIG if it is invalid */
function readConfig(path: string): Config {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    const own = configPath(configDir())
    const hint = existsSync(own)
      ? `Make one from yours: cp ${quoteWord(own)} ${quoteWord(path)}`
      : `Write one like your own, which would be ${own}`
    throw usageError(`simulate: no file "${path}"`, hint)
  }
  return parseConfig(text, { path, secrets: { file: new Map(), env: {} } }).config
}

function describe(result: Simulation, since: number): string {
  const { events, questions: asked, channels, missed, missedBefore, noisiest, changes } = result
  if (events === 0) return `No events since ${formatTime(since)}`
  const rows = Object.entries(channels).map(([name, { before, after }]) => [
    `  ${name}`,
    `${before}`,
    `${after}`,
    paint('dim', difference(before, after)),
  ])
  const questions =
    missed.length === 0
      ? `${paint('green', 'ok')} no question of ${asked} is missed`
      : `${paint('red', 'x')} ${missed.length} of ${counted(asked, 'question')} missed`
  return [
    `${counted(events, 'event')} since ${formatTime(since)}`,
    '',
    table([['  channel', 'before', 'after', ''].map((cell) => paint('dim', cell)), ...rows]),
    '',
    `${questions}${missedBefore > 0 ? ` (before: ${missedBefore})` : ''}`,
    ...missed.slice(0, MOST_LINES).map((one) => `  ${eventLine(one)}: ${oneLine(one.because)}`),
    ...more(missed.length),
    ...(changes.length === 0 ? ['', 'No decision would differ'] : changeLines(changes)),
    ...(noisiest.length === 0 ? [] : ['', 'Most messages', table(noisiest.map(sourceRow))]),
  ].join('\n')
}

function difference(before: number, after: number): string {
  if (before === after) return ''
  const share = before > 0 ? ` (${Math.round(((after - before) / before) * 100)} %)` : ''
  return `${after > before ? '+' : ''}${after - before}${share}`
}

function changeLines(changes: Simulation['changes']): string[] {
  const lines = changes.slice(-MOST_LINES).map(({ isTold, channel, because, ...event }) => {
    const what = isTold ? paint('green', 'told') : paint('dim', 'not told')
    return `  ${eventLine(event)}: ${what} on ${channel}: ${oneLine(because)}`
  })
  const count = counted(changes.length, 'decision')
  return ['', `${count} would differ`, ...lines, ...more(changes.length)]
}

function eventLine({ id, at, title }: { id: string; at: number; title: string }): string {
  const start = paint('dim', `${formatTime(at)} ${id.slice(0, 8)}`)
  return `${start} ${cutText(oneLine(title), MOST_TEXT)}`
}

function more(count: number): string[] {
  return count > MOST_LINES ? [paint('dim', `  and ${count - MOST_LINES} more: --json`)] : []
}

function sourceRow({ client, project, session, kind, before, after }: Simulation['noisiest'][0]) {
  const names = [project || '-', kind, client, shortSession(session) || '-']
  const numbers = before === after ? `${after}` : `${before} to ${after}`
  return [`  ${numbers}`, ...names.map((name) => cleanText(name))]
}
