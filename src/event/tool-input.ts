import { type Payload, textOf } from './payload.ts'

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
