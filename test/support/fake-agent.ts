import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

interface HookRun {
  code: number | null
  signal: NodeJS.Signals | null
  output: string
  /** Resolves once nobody holds stdout and stderr of the hook open any more. */
  sawEnd: Promise<void>
}

interface AgentOptions {
  env: NodeJS.ProcessEnv
  input?: string | Buffer
  /** Whether the hook gets a new session, as with droid, claude and codex; gemini runs it in its own. Default: yes. */
  ownSession?: boolean
  shell?: 'sh' | 'bash'
  /** `sockets` is what clients on Node.js give to a hook, `pipes` what the others do. */
  stdio?: 'sockets' | 'pipes'
  /** A file that the agent leaks into its hooks, and the number of its descriptor there. */
  leaks?: { file: number; as: number }
  /** Whether the agent kills the process group of the hook once it has ended. */
  killsGroup?: boolean
  /**
   * Called with the names of the programs that the hook runs. Once this is true, the agent kills the process tree of the
   * hook, as at a timeout. Until then the hook's stdin stays open.
   */
  killsTreeWhen?: (programs: readonly string[]) => boolean
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
    // Listed again: since the first process of the list was read, others may have lost their parent.
    for (const one of [{ pid }, ...descendantsOf(pid)]) kill(one.pid)
  }, 1)
  child.once('exit', () => clearInterval(timer))
}

interface Descendant {
  pid: number
  name: string
}

function descendantsOf(ancestor: number): Descendant[] {
  const all: (Descendant & { parent: number })[] = []
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
