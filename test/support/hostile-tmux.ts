import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'

/**
 * Speaks the protocol of tmux: 16 bytes with the kind, the length, the version and the process, then text. It tells a client
 * that all is ready, and then to end and run a command in a shell.
 */
const SERVER = `
const { createServer } = require('node:net')
const { appendFileSync, chmodSync } = require('node:fs')
const [, , socket, seen, command] = process.argv
const [EXITED, READY, EXEC, VERSION] = [204, 207, 217, 8]
function message(kind, text = '') {
  const head = Buffer.alloc(16)
  head.writeUInt32LE(kind, 0)
  head.writeUInt16LE(16 + text.length, 4)
  head.writeUInt32LE(VERSION, 8)
  head.writeUInt32LE(process.pid, 12)
  return Buffer.concat([head, Buffer.from(text)])
}
createServer((client) => {
  appendFileSync(seen, 'connected ')
  client.on('error', () => {})
  client.once('data', () => {
    client.write(Buffer.concat([message(READY), message(EXEC, command + '\\0/bin/sh\\0')]))
    client.on('data', () => client.write(message(EXITED)))
  })
}).listen(socket, () => chmodSync(socket, 0o777))
`

/**
 * Starts a server that takes over every client of tmux that connects to it. Stopped at the end of the test.
 * @param folder where the socket and the files are; the server must be allowed to write there
 * @param inside a command that runs the server, such as one that starts a sandbox
 */
export async function startHostileTmux(folder: string, inside: readonly string[] = []) {
  const [program, socket, seen, canary] = ['server.cjs', 's', 'seen', 'canary'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string]
  writeFileSync(program, SERVER)
  const [file = '', ...words] = [...inside, process.execPath, program, socket, seen]
  const child = spawn(file, [...words, `echo taken >${canary}`], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => existsSync(socket), { timeout: 60_000 }).toBe(true)
  return {
    socket,
    pid: child.pid ?? Number.NaN,
    /** Whether a client has connected, or has even run the command. */
    wasReached: () => existsSync(seen) || existsSync(canary),
    /** Whether a client has run the command. */
    hasTakenOver: () => existsSync(canary),
  }
}
