import { isPayload, type Payload, textOf } from './payload.ts'

/** The fields in which tools have the path of their file. */
const paths = [
  'file_path',
  'filePath',
  'path',
  'absolute_path',
  'file_name',
  'fileName',
  'notebook_path',
]

/** The path of the file that a tool would act on; '' if it has none. */
export function pathIn(input: Payload): string {
  return textOf(input, ...paths)
}

/** The command that a tool would run; '' if it has none. */
export function commandIn(input: Payload): string {
  const text = textOf(input, 'command', 'cmd', 'metadata.command')
  return text || wordsIn(input.command) || wordsIn(input.cmd)
}

/** codex sends some commands as a list of words. @returns '' for anything but such a list */
export function wordsIn(value: unknown): string {
  const isWords = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return isWords ? value.join(' ').trim() : ''
}

const pairs = [
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['oldString', 'newString'],
  ['old_text', 'new_text'],
] as const

/** What an edit would change, as lines that begin with `-` or `+`; '' if the input does not show it. */
export function changeIn(input: Payload): string {
  const ready = textOf(input, 'fileDiff', 'diff', 'metadata.diff', 'patch')
  if (ready) return ready.split('\n').filter(isChanged).join('\n')
  const edits = Array.isArray(input.edits) ? input.edits.filter(isPayload) : []
  const changes = [input, ...edits].flatMap((edit) =>
    pairs.flatMap(([before, after]) => {
      const [old, now] = [edit[before], edit[after]]
      return typeof old === 'string' && typeof now === 'string' ? changedLines(old, now) : []
    }),
  )
  const content = textOf(input, 'content', 'file_text', 'new_source', 'newContent')
  return (changes.length > 0 || !content ? changes : changedLines('', content)).join('\n')
}

/** A line of a diff that is neither its head nor unchanged. */
function isChanged(line: string): boolean {
  return /^[-+]/.test(line) && !/^(---|\+\+\+) /.test(line)
}

/** Without the lines that both have at the start and at the end. */
function changedLines(before: string, after: string): string[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  const isSame = (at: number) => at < old.length && at < now.length && old.at(at) === now.at(at)
  let start = 0
  while (isSame(start)) start += 1
  let end = 0
  const room = Math.min(old.length, now.length) - start
  while (end < room && old.at(-1 - end) === now.at(-1 - end)) end += 1
  const changed = (lines: readonly string[]) => lines.slice(start, lines.length - end)
  return [...changed(old).map((line) => `- ${line}`), ...changed(now).map((line) => `+ ${line}`)]
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
