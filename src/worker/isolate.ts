import { closeSync, readdirSync, readFileSync } from 'node:fs'
import { pinnedLocale } from '../config/worker-env.ts'

const O_CLOEXEC = 0o2000000

/**
 * Removes variables that change how this process connects or loads code, and takes the language and the time zone of the
 * background worker. The agent's environment is not trusted.
 */
export function scrubEnvironment(env: NodeJS.ProcessEnv, stateDir: string) {
  const suspicious = /^(NODE_|LD_|DYLD_|npm_|DEBUG$|OPENSSL_|SSL_CERT_|LANG$|LC_(?!TERMINAL$)|TZ$)/i
  for (const name of Object.keys(env)) if (suspicious.test(name)) delete env[name]
  Object.assign(env, pinnedLocale(stateDir))
}

/**
 * Closes descriptors inherited from the agent: some agents wait until no process holds their pipes any more. Node.js
 * marks its own descriptors close-on-exec, and at its start also the inherited ones up to the first gap in the
 * numbers. A restart closes those; this closes the others.
 */
export function closeInherited() {
  for (const fd of listDescriptors().map(Number)) {
    if (fd > 2 && !isCloseOnExec(fd)) closeSync(fd)
  }
}

function listDescriptors(): string[] {
  // On another platform, /proc may describe another system: under Wine it is the host's.
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

/** Whether the session's environment may have affected this process before its first line ran. */
export function wasInfluenced(env: NodeJS.ProcessEnv): boolean {
  const harmful = /^(NODE_(OPTIONS|EXTRA_CA_CERTS)$|LD_|DYLD_|OPENSSL_|SSL_CERT_)/
  return Object.keys(env).some((name) => harmful.test(name))
}

/** Replaces the whole environment: variables that are not in `by` are removed. */
export function replaceEnvironment(env: NodeJS.ProcessEnv, by: Readonly<Record<string, string>>) {
  for (const name of Object.keys(env)) delete env[name]
  Object.assign(env, by)
}

/**
 * Lets more file operations run at once. A path on a disk that does not answer holds one thread; by default Node.js has
 * four, for the journal too. Must be called before the first operation that does not block.
 */
export function addThreads(env: NodeJS.ProcessEnv) {
  env.UV_THREADPOOL_SIZE = '16'
}
