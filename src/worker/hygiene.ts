import { spawn } from 'node:child_process'

/** Variables that would change how this process connects or loads code. They come from wherever the agent ran. */
export function scrubEnvironment(env: NodeJS.ProcessEnv) {
  const suspicious = /^(NODE_|LD_|DYLD_|npm_|DEBUG$|OPENSSL_|SSL_CERT_)/i
  for (const name of Object.keys(env)) if (suspicious.test(name)) delete env[name]
}

/**
 * Starts this program again in a session of its own, without the descriptors that an agent left open: some agents
 * wait until nobody holds their pipes any more. Node.js marks what it inherits as not to be passed on.
 */
export function restartInOwnSession(script: string, env: NodeJS.ProcessEnv) {
  spawn(process.execPath, [script], { cwd: '/', detached: true, stdio: 'ignore', env }).unref()
}
