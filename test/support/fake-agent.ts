import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface HookRun {
  code: number | null
  signal: NodeJS.Signals | null
  output: string
  /** Resolves once nobody holds stdout and stderr of the hook open any more. */
  sawEnd: Promise<void>
}

export interface AgentOptions {
  env: NodeJS.ProcessEnv
  input?: string | Buffer
  /** Whether the hook gets a new session, as with droid, claude and codex; gemini runs it in its own. Default: yes. */
  ownSession?: boolean
  shell?: 'sh' | 'bash'
  /** `sockets` is what clients on Node.js give to a hook, `pipes` what the others do. */
  stdio?: 'sockets' | 'pipes'
  /** A file that the agent leaks into its hooks, and the number of its descriptor there. */
  leaks?: { file: number; as: number }
  /** What the agent does at the moment the hook has ended. */
  killsAtEnd?: 'group' | 'tree'
}

/** Runs a registered command line as a client does, and kills what it leaves behind as roughly as a client may. */
export async function runHook(command: string, options: AgentOptions): Promise<HookRun> {
  const { env, input = '', ownSession = true, shell = 'sh', stdio = 'sockets', leaks } = options
  const line = stdio === 'pipes' ? `cat | { ${command}\n} | cat` : command
  const inherited = leaks ? [...Array(leaks.as - 3).fill('ignore'), leaks.file] : []
  const child = spawn(shell, ['-c', line], {
    env,
    detached: ownSession,
    stdio: ['pipe', 'pipe', 'pipe', ...inherited],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  const sawEnd = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const family = options.killsAtEnd === 'tree' ? watchFamily(child) : undefined
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('exit', (...end) => resolve(end)),
  )
  if (options.killsAtEnd === 'group' && ownSession) kill(-(child.pid ?? 0))
  for (const pid of family?.stop() ?? []) kill(pid)
  await sawEnd
  return { code, signal, output, sawEnd }
}

/** Records the descendants of the hook while it runs, so that all of them can be killed afterwards. */
function watchFamily(child: ChildProcess) {
  const seen = new Set<number>()
  const look = () => {
    for (const pid of descendantsOf(child.pid ?? 0)) seen.add(pid)
  }
  const timer = setInterval(look, 1)
  look()
  return {
    stop() {
      clearInterval(timer)
      look()
      return [...seen].filter((pid) => descendantsOf(child.pid ?? 0).includes(pid))
    },
  }
}

function descendantsOf(ancestor: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[1]))
    } catch {
      // It has just ended.
    }
  }
  const found: number[] = []
  for (let layer = [ancestor]; layer.length > 0; ) {
    layer = [...parents].filter(([, parent]) => layer.includes(parent)).map(([pid]) => pid)
    found.push(...layer)
  }
  return found
}

function kill(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process, or the last one of its group, has ended.
  }
}
