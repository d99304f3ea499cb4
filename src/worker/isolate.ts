import { closeSync, readdirSync, readFileSync } from 'node:fs'

const O_CLOEXEC = 0o2000000

/** Variables that would change how this process connects or loads code. They come from wherever the agent ran. */
export function scrubEnvironment(env: NodeJS.ProcessEnv) {
  const suspicious = /^(NODE_|LD_|DYLD_|npm_|DEBUG$|OPENSSL_|SSL_CERT_)/i
  for (const name of Object.keys(env)) if (suspicious.test(name)) delete env[name]
}

/**
 * Closes what an agent left open in its hooks: some wait until nobody holds their pipes any more. Node.js marks its
 * own descriptors close-on-exec, and at its start the inherited ones too, but only the lowest without a gap: those
 * end with a restart, the others here.
 */
export function closeInherited() {
  for (const fd of listDescriptors().map(Number)) {
    if (fd > 2 && !isCloseOnExec(fd)) closeSync(fd)
  }
}

function listDescriptors(): string[] {
  // Elsewhere such a folder is of another system: under wine, that of the machine outside.
  if (process.platform !== 'linux') return []
  try {
    return readdirSync('/proc/self/fd')
  } catch {
    return []
  }
}

function isCloseOnExec(fd: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')
    const [, flags = ''] = /flags:\s+(\d+)/.exec(info) ?? []
    return (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0
  } catch {
    // The descriptor of the listing itself, which is gone.
    return true
  }
}

/** Whether something of a session may have acted on this process before its first line ran. */
export function wasInfluenced(env: NodeJS.ProcessEnv): boolean {
  return Object.keys(env).some((name) => /^(NODE_OPTIONS$|LD_|DYLD_|OPENSSL_|SSL_CERT_)/.test(name))
}

/** What is not given is gone. */
export function replaceEnvironment(env: NodeJS.ProcessEnv, by: Readonly<Record<string, string>>) {
  for (const name of Object.keys(env)) delete env[name]
  Object.assign(env, by)
}

/**
 * Starts a worker in a session of its own, and with nothing that this one inherited.
 * @returns its process id
 */
export function startWorker(
  node: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): number | undefined {
  // Loaded only when something is to be started: it costs a start several milliseconds.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(node, args, { cwd: '/', detached: true, stdio: 'ignore', env })
  // It could not be started: the next event tries again.
  child.on('error', () => {})
  child.unref()
  return child.pid
}
