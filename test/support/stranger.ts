import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** The id of a user who does not exist, and whom nothing here belongs to. */
export const STRANGER = 54_321

const asStranger = ['setpriv', '--reuid', `${STRANGER}`, '--regid', `${STRANGER}`, '--clear-groups']
/** A sandbox in which the stranger has the id of the user who runs the tests. */
const inSandbox = [...asStranger, 'unshare', '--user', `--map-user=${process.getuid?.()}`]

const runsNode = (words: readonly string[]) =>
  process.getuid?.() === 0 &&
  spawnSync(words[0] ?? '', [...words.slice(1), process.execPath, '-e', '0']).status === 0

/** Other users of this machine that can run programs here: only root can become one. */
export const strangers = (
  [
    ['another user', asStranger],
    ['another user in a sandbox', inSandbox],
  ] as const
).filter(([, words]) => runsNode(words))

/** As long as possible, because Node.js fills up shorter names with zero bytes. */
export function abstractName(): string {
  count += 1
  return `hookbell-test-${process.pid}-${count}-`.padEnd(107, 'x')
}
let count = 0

const LISTEN = `require('node:net')
  .createServer((socket) => { console.log('connected'); socket.on('error', () => {}).destroy() })
  .listen(process.argv[1].replace(/^@/, '\\0'), () => console.log('listening'))`

/**
 * Listens on a socket as another user, until the test ends. @param path `@NAME` for an abstract socket
 * @returns how many programs have connected to it
 */
export async function listenAs(words: readonly string[], path: string): Promise<() => number> {
  const [program = '', ...args] = [...words, process.execPath, '-e', LISTEN, path]
  const child = spawn(program, args, { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let connected = 0
  const lines = createInterface(child.stdout)
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line === 'connected') connected += 1
      resolve()
    })
    child.once('exit', () => reject(new Error(`cannot listen on ${path}`)))
  })
  return () => connected
}
