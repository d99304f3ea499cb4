import { spawn } from 'node:child_process'
import { closeSync, readdirSync, readFileSync } from 'node:fs'

const O_CLOEXEC = 0o2000000

/** Variables that would change how this process connects or loads code. They come from wherever the agent ran. */
export function scrubEnvironment(env: NodeJS.ProcessEnv) {
  const suspicious =
    /^(NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|NODE_DEBUG|DEBUG|LD_PRELOAD|LD_LIBRARY_PATH|npm_.*)$/i
  for (const name of Object.keys(env)) if (suspicious.test(name)) delete env[name]
}

/**
 * Closes what an agent left open in its hooks: some wait until nobody holds their pipes any more.
 * Node.js marks all of its own descriptors close-on-exec, so one without the mark was inherited.
 */
export function closeInherited() {
  for (const name of listDescriptors()) {
    const fd = Number(name)
    if (fd < 3) continue
    try {
      const [, flags = '0'] =
        /flags:\s+(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
      if ((Number.parseInt(flags, 8) & O_CLOEXEC) === 0) closeSync(fd)
    } catch {
      // The descriptor of the listing itself.
    }
  }
}

function listDescriptors(): string[] {
  try {
    return readdirSync('/proc/self/fd')
  } catch {
    return []
  }
}

/** Starts this program again in a session of its own, where there is no setsid(1) to do it. */
export function restartInOwnSession(script: string, env: NodeJS.ProcessEnv) {
  spawn(process.execPath, [script], { cwd: '/', detached: true, stdio: 'ignore', env }).unref()
}
