import { readFile } from 'node:fs/promises'
import type { Endpoint } from '../../api/endpoints/endpoint.ts'
import { describeError, usageError } from '../../errors.ts'
import { isObject } from '../../is-object.ts'
import type { Flag } from './flags.ts'

/** Whether an endpoint has inputs that no flag can carry. */
export function takesBody(endpoint: Endpoint): boolean {
  return endpoint.body !== undefined || endpoint.passthrough === true
}

/**
 * The input of a call: the object in `--body`, overridden by the flags.
 * @throws HookbellError E_USAGE
 */
export async function readInput(
  endpoint: Endpoint,
  flags: readonly Flag[],
  given: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const command = `api ${endpoint.id}`
  const input = typeof given.body === 'string' ? await readObject(command, given.body) : {}
  for (const flag of flags) {
    const value = given[flag.name.slice(2)]
    if (typeof value === 'string') input[flag.input] = parseValue(command, flag, value)
  }
  const missing = flags.filter((flag) => flag.isRequired && input[flag.input] === undefined)
  if (missing.length > 0) {
    const names = missing.map(({ input: field, name, kind }) =>
      kind === 'json' ? `"${field}" in --body` : name,
    )
    throw usageError(
      `${command}: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} missing`,
      `See: hookbell ${command} --help`,
    )
  }
  return input
}

function parseValue(
  command: string,
  { name, kind, isNullable, description }: Flag,
  text: string,
): unknown {
  if (isNullable && text === 'null') return null
  if (kind === 'text') return text
  if (kind === 'json') {
    throw usageError(
      `${command}: ${name} does not fit in a flag`,
      'Give it as JSON with --body FILE',
    )
  }
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw usageError(`${command}: ${name} takes a number, not "${text}"`, description)
}

async function readObject(command: string, source: string): Promise<Record<string, unknown>> {
  const value = await readJson(command, source)
  if (isObject(value)) return { ...value }
  throw usageError(`${command}: ${nameOf(source)} is not a JSON object`)
}

/** Reads JSON from the command line itself, from a file, or from stdin for `-`. */
export async function readJson(command: string, source: string): Promise<unknown> {
  const text = isInline(source) ? source : await readText(command, source)
  return parse(text, `${command}: ${nameOf(source)} is not JSON`)
}

/** Whether it is JSON itself, not the name of a file: also `null`, numbers and text in quotes. */
function isInline(source: string): boolean {
  return /^\s*([{["]|(null|true|false|-?\d[\d.]*)\s*$)/.test(source)
}

function nameOf(source: string): string {
  if (isInline(source)) return '--body'
  return source === '-' ? 'the body on stdin' : `the body in "${source}"`
}

function parse(text: string, problem: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The error message may quote the body, which may hold a secret, so only the position is shown.
    const [where] = /(at )?position \d+.*$|Unexpected end.*$/.exec(describeError(cause)) ?? []
    throw usageError(where === undefined ? problem : `${problem}: ${where}`)
  }
}

const UTF_16_MARKS: readonly string[] = ['fffe', 'feff']

/** The text of a file, or of stdin for `-`, without the byte order mark that programs of Windows write. */
export async function readText(command: string, source: string): Promise<string> {
  const bytes = await readBytes(command, source)
  // As PowerShell 5 and some editors write it.
  if (UTF_16_MARKS.includes(bytes.toString('hex', 0, 2))) {
    const name = source === '-' ? 'stdin' : `"${source}"`
    throw usageError(`${command}: ${name} is in UTF-16`, 'Save it as UTF-8')
  }
  return new TextDecoder().decode(bytes)
}

async function readBytes(command: string, source: string): Promise<Buffer> {
  if (source !== '-') {
    return await readFile(source).catch((cause: unknown) => {
      throw usageError(`${command}: cannot read "${source}"`, describeError(cause), cause)
    })
  }
  // Without this note, the command would seem to hang.
  if (process.stdin.isTTY)
    process.stderr.write('Reading from the terminal, to the end with Ctrl+D\n')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
