// Prints how much a person has to know to understand the program. It sets no limits.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startReceivers } from '../src/demo/receivers.ts'
import { buildStage, registerHooks, runHook, type Stage } from '../src/demo/stage.ts'
import { story } from '../src/demo/story.ts'
import { endWorker } from '../src/install/remove-state.ts'

const CORE = ['spool', 'deliver', 'worker', 'policy', 'journal']
const NOUN = /^export (declare |abstract )*(class|interface|type) \w/gm
/** A limit for what hangs, however busy the machine is. */
const LIMIT_MS = 600_000
/** The front door asks for its folder, which an ES module does not have. The worker writes its coverage at a signal. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import { takeCoverage } from 'node:v8'
globalThis.__dirname = ${JSON.stringify(resolve('src/hook'))}
process.on('SIGUSR2', takeCoverage)`)}`

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: [{ count: number }] }[] }[]
}

const files = listFiles('src')
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join('src', path), 'utf8') }))
  .filter(({ text }) => !text.startsWith('// Written by `npm run gen`'))
const core = files.filter(({ path }) => CORE.includes(path.split('/')[0] ?? ''))
const kinds = await onStage(kindsAfterDemo)
const [door, worker] = await onStage(visitsOfStop)

row('files in src, without generated ones', files.length)
row('lines in these files', count(files, /\n/g))
row('classes and types that the core exports', count(core, NOUN), CORE.join(', '))
row('kinds of file in the state folder after the demo', kinds.length, kinds.join(', '))
row(
  'files that one Stop event visits',
  new Set([...door, ...worker]).size,
  `front door ${door.length}, running worker ${worker.length}`,
)

function row(label: string, value: number, details = '') {
  console.log(`${label.padEnd(50)}${String(value).padStart(6)}  ${details}`.trimEnd())
}

function count(texts: readonly { text: string }[], pattern: RegExp): number {
  return texts.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0)
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}

/** Does something in the temporary home of the demo. */
async function onStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
  const receivers = await startReceivers()
  const stage = await buildStage(receivers)
  try {
    return await work(stage)
  } finally {
    receivers.close()
    await endWorker(stage.stateDir)
    await stage.remove()
  }
}

/** Numbers and ids are left out. The installed copy of the program counts once. */
async function kindsAfterDemo(stage: Stage): Promise<string[]> {
  const command = await registerHooks(stage)
  for (const { payload } of story(stage.project, stage.transcript)) {
    await runHook(command, payload, stage)
    await until(() => isSpoolEmpty(stage))
  }
  const whileItRuns = listFiles(stage.stateDir)
  await endWorker(stage.stateDir)
  const names = [...whileItRuns, ...listFiles(stage.stateDir)]
  const kindOf = (name: string) => name.replace(/^runtime\/.*/, 'runtime').replace(/\w*\d\w*/g, '*')
  return [...new Set(names.map(kindOf))].sort()
}

/** The source files of which a function runs: in the front door, and in a worker that already runs. */
async function visitsOfStop(stage: Stage): Promise<[door: string[], worker: string[]]> {
  const config = {
    channels: { audit: { type: 'file', path: stage.auditFile } },
    routes: [{ on: ['done'], to: ['audit'] }],
    lingerSeconds: LIMIT_MS / 1000,
  }
  await writeFile(join(stage.home, '.config/hookbell/config.json'), JSON.stringify(config))
  const scenes = story(stage.project, stage.transcript)
  const stop = scenes.find(({ payload }) => payload.hook_event_name === 'Stop')?.payload
  const worker = runSource('worker', ['--restarted'], stage)
  // The first event warms the worker up.
  for (const turn of [1, 2]) {
    const door = runSource('hook', ['--client=droid'], stage)
    door.stdin.end(JSON.stringify({ ...stop, session_id: `session-${turn}` }))
    await once(door, 'close')
    await until(() => linesOf(stage.auditFile) === turn && isSpoolEmpty(stage))
    worker.kill('SIGUSR2')
    await until(() => coverageOf(stage, 'worker').length === turn)
  }
  const exit = once(worker, 'close')
  worker.kill('SIGTERM')
  await exit
  return [visited(coverageOf(stage, 'hook')[1]), visited(coverageOf(stage, 'worker')[1])]
}

function runSource(name: string, words: readonly string[], { home, project, env }: Stage) {
  const imports = [import.meta.resolve('tsx'), PRELOAD].flatMap((path) => ['--import', path])
  const main = resolve('src', name, 'main.ts')
  return spawn(process.execPath, [...imports, main, ...words], {
    cwd: project,
    env: { ...env, NODE_V8_COVERAGE: join(home, name) },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}

/** What the main thread has written, the oldest first. */
function coverageOf({ home }: Stage, name: string): string[] {
  const folder = join(home, name)
  const time = (path: string) => Number(path.split('-').at(-2))
  return listFiles(folder)
    .filter((path) => path.endsWith('-0.json'))
    .sort((a, b) => time(a) - time(b))
    .map((path) => join(folder, path))
}

function visited(coverage = ''): string[] {
  const { result } = JSON.parse(readFileSync(coverage, 'utf8')) as Coverage
  const src = pathToFileURL(resolve('src/')).href
  return result
    .filter(({ url, functions }) => url.startsWith(src) && hasRun(functions))
    .map(({ url }) => url)
}

/** The first function is the module itself, and the compiler adds one that sets names. */
function hasRun([, ...functions]: Coverage['result'][number]['functions']): boolean {
  return functions.some(
    ({ functionName, ranges }) => functionName !== '__name' && ranges[0].count > 0,
  )
}

function isSpoolEmpty({ stateDir }: Stage): boolean {
  return ['new', 'cur'].every((folder) => listFiles(join(stateDir, 'spool', folder)).length === 0)
}

function linesOf(path: string): number {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0
}

async function until(holds: () => boolean) {
  for (let waited = 0; !holds(); waited += 20) {
    if (waited > LIMIT_MS) throw new Error(`it takes too long: ${holds}`)
    await sleep(20)
  }
}
