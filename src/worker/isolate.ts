import { spawn } from 'node:child_process'
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
 * end with `restartInOwnSession`, the others here.
 */
export function closeInherited() {
  for (const fd of listDescriptors().map(Number)) {
    if (fd > 2 && !isCloseOnExec(fd)) closeSync(fd)
  }
}

function listDescriptors(): string[] {
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

/** Starts this program again in a session of its own, and with nothing that it inherited. */
export function restartInOwnSession(script: string, env: NodeJS.ProcessEnv) {
  spawn(process.execPath, [script], { cwd: '/', detached: true, stdio: 'ignore', env }).unref()
}
