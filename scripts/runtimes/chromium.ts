import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { brotliDecompressSync } from 'node:zlib'
import { WebSocket } from 'undici'
import type { Variables } from '../runtimes.ts'

const words = [
  '--headless=shell',
  '--no-sandbox',
  '--no-zygote',
  '--single-process',
  '--disable-gpu',
  '--remote-debugging-port=0',
]

/** Runs `run` of a bundled module in a web page, and returns what it says. */
export async function runInChromium(
  packages: string,
  folder: string,
  bundle: string,
  variables: Variables,
): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<script type="module">${bundle}\nglobalThis.run = run</script>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const browser = start(unpack(packages, folder), folder)
  try {
    return await ask(await debuggerOf(browser), `http://127.0.0.1:${port}/`, variables)
  } finally {
    browser.kill('SIGKILL')
    server.close()
    server.closeAllConnections()
  }
}

/** The package has the browser and its libraries compressed. Returns their folder. */
function unpack(packages: string, folder: string): string {
  const to = join(folder, 'chromium')
  mkdirSync(to)
  const read = (name: string) =>
    brotliDecompressSync(readFileSync(join(packages, '@sparticuz/chromium/bin', name)))
  writeFileSync(join(to, 'chromium'), read('chromium.br'), { mode: 0o755 })
  for (const name of ['al2023', 'fonts', 'swiftshader'])
    execFileSync('tar', ['-x', '-C', to], { input: read(`${name}.tar.br`) })
  return to
}

function start(program: string, folder: string): ChildProcess {
  const env = { PATH: process.env.PATH, HOME: folder, FONTCONFIG_PATH: program }
  return spawn(
    join(program, 'chromium'),
    [...words, `--user-data-dir=${join(folder, 'profile')}`, 'about:blank'],
    {
      env: { ...env, LD_LIBRARY_PATH: join(program, 'lib') },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 120_000,
    },
  )
}

async function debuggerOf(browser: ChildProcess): Promise<string> {
  if (!browser.stderr) throw new Error('Chromium has no output')
  for await (const line of createInterface({ input: browser.stderr })) {
    const [url] = /ws:\/\/\S+/.exec(line) ?? []
    if (url) return url
  }
  throw new Error('Chromium does not start')
}

/** Opens the page and calls its `run`, by the DevTools protocol. */
async function ask(url: string, page: string, variables: Variables): Promise<string> {
  const socket = new WebSocket(url)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const { targetId } = await send(socket, 'Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await send(socket, 'Target.attachToTarget', { targetId, flatten: true })
  const isLoaded = heard(socket, ({ method }) => method === 'Page.loadEventFired')
  await send(socket, 'Page.enable', {}, sessionId)
  await send(socket, 'Page.navigate', { url: page }, sessionId)
  // The module has run by then.
  await isLoaded
  const expression = `run(${JSON.stringify(variables)}).catch(String)`
  const evaluation = { expression, awaitPromise: true, returnByValue: true }
  const { result } = await send(socket, 'Runtime.evaluate', evaluation, sessionId)
  socket.close()
  return String(Object(result).value)
}

let calls = 0

async function send(socket: WebSocket, method: string, params: object, sessionId?: unknown) {
  calls += 1
  const id = calls
  const answer = heard(socket, (message) => message.id === id)
  socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }))
  const { error, result } = await answer
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return Object(result) as Record<string, unknown>
}

/** The first message that is the one looked for. */
function heard(socket: WebSocket, isIt: (message: Record<string, unknown>) => boolean) {
  return new Promise<Record<string, unknown>>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data))
      if (isIt(message)) resolve(message)
    })
  })
}
