import { FORMAT_LINE, MAX_BODY_BYTES } from './layout.ts'

/** What the front door stores besides the bytes of the event. */
export interface Header {
  client: string
  /** Facts of the agent's session, from an allow-list. */
  env: Record<string, string>
  /** Whether the event comes from the hooks of a project, which all who work on it share. */
  shared?: boolean
}

const CLIENT_NAME = /^[A-Za-z0-9._-]{1,32}$/

/** Header lines, then one blank line. The raw bytes of the event follow as they came. */
export function formatHeader({ client, env, shared }: Header): string {
  const lines = [FORMAT_LINE, `client: ${CLIENT_NAME.test(client) ? client : 'unknown'}`]
  if (shared) lines.push('shared: yes')
  for (const [name, value] of Object.entries(env)) {
    if (!value.includes('\n')) lines.push(`env: ${name}=${value}`)
  }
  return `${lines.join('\n')}\n\n`
}

/** @returns undefined where the bytes are not a spool file of this format. */
export function parseSpoolFile(
  bytes: Buffer,
): { header: Header; body: Buffer; truncated: boolean } | undefined {
  const end = bytes.indexOf('\n\n')
  if (end < 0) return undefined
  const [first, ...lines] = bytes.toString('utf8', 0, end).split('\n')
  if (first !== FORMAT_LINE) return undefined
  const body = bytes.subarray(end + 2)
  return {
    header: parseLines(lines),
    body: body.subarray(0, MAX_BODY_BYTES),
    truncated: body.length >= MAX_BODY_BYTES,
  }
}

/** Whether a newer hookbell wrote it. Such a file is left for that version. */
export function isOfLaterVersion(bytes: Buffer): boolean {
  const [, version] = /^hookbell-event (\d+)\n/.exec(bytes.toString('latin1', 0, 64)) ?? []
  return version !== undefined && `hookbell-event ${version}` !== FORMAT_LINE
}

function parseLines(lines: string[]): Header {
  const header: Header = { client: 'unknown', env: {} }
  for (const line of lines) {
    const [, key, value = ''] = /^(\w+): (.*)$/.exec(line) ?? []
    if (key === 'client') header.client = CLIENT_NAME.test(value) ? value : 'unknown'
    if (key === 'shared') header.shared = value === 'yes'
    const equals = value.indexOf('=')
    if (key === 'env' && equals > 0) header.env[value.slice(0, equals)] = value.slice(equals + 1)
  }
  return header
}
