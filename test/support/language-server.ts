import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './home.ts'

/** The language server of TypeScript, as an editor starts it: over stdin and stdout, for one file. */
export async function startLanguageServer(file: string, text: string) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const server = spawn(process.execPath, [tsc, '--lsp', '--stdio'], {
    cwd: join(file, '..'),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const exited = new Promise((resolve) => server.once('exit', resolve))
  const waiting = new Map<number, (answer: Answer) => void>()
  let received = Buffer.alloc(0)
  server.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (let message = take(); message; message = take()) accept(message)
  })

  /** Takes the first complete message from the received bytes. */
  function take(): Answer | undefined {
    const start = received.indexOf('\r\n\r\n') + 4
    const [, length] = /Content-Length: (\d+)/i.exec(received.toString('latin1', 0, start)) ?? []
    const end = start + Number(length)
    if (!length || received.length < end) return undefined
    const message = JSON.parse(received.toString('utf8', start, end))
    received = received.subarray(end)
    return message
  }

  function accept({ id, method, ...answer }: Answer) {
    // The server requests settings, and gets none.
    if (method && id !== undefined) send({ id, result: null })
    else if (id !== undefined) waiting.get(id)?.(answer)
  }

  function send(message: object) {
    const json = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`)
  }

  async function ask(method: string, params?: unknown): Promise<unknown> {
    const id = waiting.size + 1
    const { result, error } = await new Promise<Answer>((resolve) => {
      waiting.set(id, resolve)
      send({ id, method, params })
    })
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }

  const hover = { contentFormat: ['markdown'] }
  const uri = pathToFileURL(file).href
  await ask('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(join(file, '..')).href,
    capabilities: { textDocument: { hover } },
  })
  send({ method: 'initialized', params: {} })
  const textDocument = { uri, languageId: 'typescript', version: 1, text }
  send({ method: 'textDocument/didOpen', params: { textDocument } })
  return {
    /** The hover text for the word that begins at an index of the text. */
    async hover(index: number): Promise<{ code: string; about: string }> {
      const before = text.slice(0, index).split('\n')
      const position = { line: before.length - 1, character: before.at(-1)?.length }
      const found = await ask('textDocument/hover', { textDocument: { uri }, position })
      const shown = String((found as { contents?: { value?: string } } | null)?.contents?.value)
      const [, code = shown, about = ''] = /^```\w*\n([\s\S]*?)\n```([\s\S]*)$/.exec(shown) ?? []
      return { code, about: about.trim() }
    },
    /** The errors that the editor underlines. */
    async errors(): Promise<string[]> {
      const report = await ask('textDocument/diagnostic', { textDocument: { uri } })
      const { items } = report as { items: { severity: number; message: string }[] }
      return items.flatMap(({ severity, message }) => (severity === 1 ? message : []))
    },
    async close() {
      await ask('shutdown')
      send({ method: 'exit' })
      server.stdin.end()
      await exited
    },
  }
}

interface Answer {
  id?: number
  method?: string
  result?: unknown
  error?: { message: string }
}
