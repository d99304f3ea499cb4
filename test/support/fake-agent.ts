import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

interface HookRun {
  code: number | null
  signal: NodeJS.Signals | null
  output: string
  /** Resolves once no process holds stdout or stderr of the hook open any more. */
  sawEnd: Promise<void>
}

interface AgentOptions {
  env: NodeJS.ProcessEnv
  input?: string | Buffer
  /** Whether the hook gets a new process session, as from droid, claude and codex, but not gemini. Default: true. */
  ownSession?: boolean
  shell?: 'sh' | 'bash'
  /** The type of stdin, stdout and stderr: clients on Node.js use `sockets`, the others `pipes`. Default: `sockets`. */
  stdio?: 'sockets' | 'pipes'
  /** A descriptor that the agent leaks into its hooks, and the number that it has in the hook. */
  leaks?: { file: number; as: number }
  /** Whether the agent kills the process group of the hook once it has ended. */
  killsGroup?: boolean
  /**
   * Called every millisecond with the names of the programs that the hook runs. Once it returns true, the agent kills the
   * process tree of the hook, as after a timeout. Until then, the hook's stdin stays open.
   */
  killsTreeWhen?: (programs: readonly string[]) => boolean
}

/** Runs a registered command line as a client does, with the ways in which a client may kill the hook. */
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
  if (options.killsTreeWhen) killTreeWhen(options.killsTreeWhen, child)
  child.stdin?.write(input)
  if (!options.killsTreeWhen) child.stdin?.end()
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('exit', (...end) => resolve(end)),
  )
  if (options.killsGroup && ownSession) kill(-(child.pid ?? 0))
  await sawEnd
  return { code, signal, output, sawEnd }
}

function killTreeWhen(isTime: (programs: readonly string[]) => boolean, child: ChildProcess) {
  const { pid = 0 } = child
  const timer = setInterval(() => {
    if (!isTime(descendantsOf(pid).map(({ name }) => name))) return
    clearInterval(timer)
    // The list is read again, because processes may have started or lost their parent since.
    for (const one of [{ pid }, ...descendantsOf(pid)]) kill(one.pid)
  }, 1)
  child.once('exit', () => clearInterval(timer))
}

interface Descendant {
  pid: number
  name: string
  parent: number
}

/** The processes that a process has started, and those that these have started, and so on. */
export function descendantsOf(ancestor: number): Descendant[] {
  const all: Descendant[] = []
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [, name = '', parent] = /\((.*)\) \S (\d+)/s.exec(stat) ?? []
      all.push({ pid: Number(pid), name, parent: Number(parent) })
    } catch {
      // It has just ended.
    }
  }
  const found: Descendant[] = []
  for (let layer = [ancestor]; layer.length > 0; ) {
    const children = all.filter(({ parent }) => layer.includes(parent))
    found.push(...children)
    layer = children.map(({ pid }) => pid)
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
