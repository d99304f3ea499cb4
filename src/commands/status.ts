import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import { ago, paint, print, printJson, table } from '../cli/output.ts'
import { CurrentConfig } from '../config/current.ts'
import { shellEnvironment } from '../config/environment.ts'
import { howToSet } from '../config/how-to-set.ts'
import { configPath, type LoadedConfig } from '../config/load.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { foldersAtRisk } from '../config/trust.ts'
import { type EventStatus, outcomes } from '../journal/history.ts'
import { holdsEvents, spoolIn } from '../spool/layout.ts'
import { lockHolder } from '../spool/lock.ts'
import { list, readHistory, stateFolders } from './_history.ts'

export const statusCommand = defineCommand({
  args: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ args }) {
    const status = await readStatus()
    if (args.json) printJson(status)
    else print(describe(status))
    return status.problems.length > 0 ? 1 : 0
  },
})

type Status = Awaited<ReturnType<typeof readStatus>>

async function readStatus() {
  const folders = stateFolders()
  const unreadable = new Set<string>()
  const onUnreadable = (folder: string) => void unreadable.add(folder)
  const histories = folders.map((folder) => readHistory(folder, onUnreadable))
  const accounts = (await Promise.all(histories)).flat()
  const loaded = new CurrentConfig(configDir(), stateDir()).get()
  const count = Object.fromEntries(
    outcomes.map((outcome) => [outcome, accounts.filter((one) => one.outcome === outcome).length]),
  )
  const corrupt = folders.flatMap((folder) => list(spoolIn(folder).corrupt, onUnreadable))
  return {
    accepted: accounts.length,
    ...(count as Record<(typeof outcomes)[number], number>),
    corrupt: corrupt.length,
    worker: lockHolder(stateDir())?.pid ?? null,
    config: { path: configPath(configDir()), source: loaded.source },
    state: stateDir(),
    installed: existsSync(join(stateDir(), 'hookbell-hook')),
    channels: channelRows(loaded, accounts),
    lastEvent: accounts.at(-1)?.acceptedAt ?? null,
    problems: [
      ...[...unreadable].map(
        (folder) => `${folder} cannot be read; the next worker opens it again`,
      ),
      ...problemsOf(loaded, accounts, corrupt.length, folders),
      ...(await templateProblemsIn(configDir())),
    ],
  }
}

/** Per channel what happened last, so that a silent one is seen. */
function channelRows({ config, unusable }: LoadedConfig, accounts: readonly EventStatus[]) {
  const names = [...Object.keys(config.channels), ...Object.keys(unusable)]
  return names.map((name) => {
    const last = accounts.findLast(({ channels }) => Object.hasOwn(channels, name))?.channels[name]
    return {
      name,
      type: config.channels[name]?.type ?? '',
      last: last ? { state: last.state, at: last.at, detail: last.detail } : null,
    }
  })
}

function problemsOf(
  { config, problem, unusable, unset, source }: LoadedConfig,
  accounts: readonly EventStatus[],
  corrupt: number,
  folders: readonly string[],
): string[] {
  const problems: string[] = []
  if (problem) {
    const hint = problem.hint ? `. ${problem.hint}` : ''
    problems.push(`${problem.message} (the ${source} settings are used)${hint}`)
  }
  const hint =
    unset.length > 0 ? `. ${howToSet(unset, configDir(), shellEnvironment(process.env))}` : ''
  for (const [name, reason] of Object.entries(unusable))
    problems.push(`channel ${name}: ${reason}${reason.endsWith('not set') ? hint : ''}`)
  for (const fault of foldersAtRisk(configDir(), stateDir()))
    problems.push([fault.message, fault.hint].filter(Boolean).join('. '))
  const { extraCaFile } = config
  if (extraCaFile && !existsSync(extraCaFile)) problems.push(`extraCaFile: no file ${extraCaFile}`)
  const dead = accounts.filter(({ outcome }) => outcome === 'dead').length
  if (dead > 0) problems.push(`${dead} dead: see hookbell dead`)
  if (corrupt > 0) problems.push(`${corrupt} damaged or foreign in ${spoolIn(stateDir()).corrupt}`)
  for (const folder of folders.slice(1).filter(holdsEvents)) {
    problems.push(`events are stored in ${folder}: ${stateDir()} failed`)
  }
  return problems
}

/** Most people have none, and the engine is not loaded for nothing. */
async function templateProblemsIn(folder: string): Promise<string[]> {
  if (!existsSync(join(folder, 'templates'))) return []
  const { templateProblems } = await import('../render/check.ts')
  return templateProblems(folder)
}

function describe(status: Status): string {
  const { accepted, delivered, suppressed, dead, waiting, worker, config, channels } = status
  const events =
    `${accepted} accepted = ${delivered} delivered + ${suppressed} suppressed + ${dead} dead` +
    ` + ${waiting} waiting`
  const lines = [
    ['events', events],
    ['last', status.lastEvent === null ? 'none yet' : ago(status.lastEvent)],
    ['worker', worker === null ? 'not running (starts with the next event)' : `process ${worker}`],
    ['config', `${config.source === 'file' ? config.path : `${config.source} settings`}`],
    [
      'hook',
      status.installed ? join(status.state, 'hookbell-hook') : 'not installed: hookbell init',
    ],
    ...channels.map(({ name, type, last }) => [
      name,
      `${type || 'not usable'}  ${last ? `${last.state} ${ago(last.at)}: ${last.detail}` : 'nothing sent yet'}`,
    ]),
  ]
  const problems = status.problems.map((problem) => `${paint('red', 'x')} ${problem}`)
  return [table(lines), ...problems].join('\n')
}
