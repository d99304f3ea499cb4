import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { type Agent, agents, node, versionOf } from './test-clients/agents.ts'
import { check } from './test-clients/check.ts'

/**
 * Runs published agents against a model server on loopback, with the hooks that `init` wrote, and checks which events
 * were delivered. Not for CI: it installs a gigabyte from npm, once, into a cache of its own. Arguments name the agents
 * to run; without any, all run.
 */
const cache =
  process.env.HOOKBELL_CLIENTS_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'hookbell-test-clients')
const modules = join(cache, 'node_modules')
const nodePath = join(modules, node.program)

const IN_NAMESPACE = 'HOOKBELL_CLIENTS_ISOLATED'
const wanted = process.argv.slice(2)
const chosen = agents.filter(({ name }) => wanted.length === 0 || wanted.includes(name))

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log('skipped: needs Linux on x64')
} else if (process.env[IN_NAMESPACE]) {
  await checkAll()
} else {
  mkdirSync(cache, { recursive: true })
  install('node', [node.spec], node.program)
  for (const { name, packages, program } of chosen) install(name, packages, program)
  enterNamespace()
}

async function checkAll() {
  for (const agent of chosen) {
    if (!existsSync(join(modules, agent.program)) || !existsSync(nodePath)) {
      console.log(`${agent.name}: skipped, it is not in ${modules}`)
      continue
    }
    const failures = await check(agent, startOf(agent))
    const title = `${agent.name} ${versionOf(agent, modules)}`
    console.log(failures.length === 0 ? `${title}: passed` : `${title}: FAILED`)
    for (const failure of failures) console.log(`  ${failure}`)
    if (failures.length > 0) process.exitCode = 1
  }
}

function startOf({ program }: Agent): { command: string; words: string[] } {
  const path = join(modules, program)
  return /\.m?js$/.test(program)
    ? { command: nodePath, words: [path] }
    : { command: path, words: [] }
}

function install(name: string, packages: readonly string[], program: string) {
  if (existsSync(join(modules, program))) return
  // No scripts: packages must not download anything themselves. The newest Node.js comes first in the PATH, since
  // npm chooses an older version of a package if the newest does not support the Node.js that npm runs on.
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', cache]
  const env = { ...process.env, PATH: `${dirname(nodePath)}${delimiter}${process.env.PATH}` }
  try {
    execFileSync('npm', [...words, ...packages], { stdio: 'pipe', timeout: 600_000, env })
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: Buffer | string }
    const said = `${stderr}`.split('\n').find((line) => /^npm error (?!code )/.test(line))
    console.log(`${name}: not installed: ${said ?? message}`)
  }
}

/** Runs this program again in a network namespace that only has loopback. */
function enterNamespace() {
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const script = 'ip link set lo up && exec "$@"'
  const { status, error } = spawnSync('unshare', ['-rn', 'sh', '-c', script, 'sh', ...again], {
    stdio: 'inherit',
    env: { ...process.env, [IN_NAMESPACE]: '1' },
  })
  if (error) console.log(`skipped: cannot create a network namespace (${error.message})`)
  process.exitCode = status ?? 0
}
