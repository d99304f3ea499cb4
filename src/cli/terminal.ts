import { fstatSync, statSync } from 'node:fs'
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]
type Output = 'stdout' | 'stderr'

/** Colours only on a terminal that can show them, and not if NO_COLOR is set. https://no-color.org */
function hasColour(output: Output): boolean {
  return isTerminal(output) && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

export function colour(style: Style, text: string, output: Output): string {
  return hasColour(output) ? styleText(style, text) : text
}

/** Columns of the terminal; undefined for a pipe or a file. */
export function terminalWidth(output: Output = 'stdout'): number | undefined {
  return isTerminal(output) ? process[output].columns || undefined : undefined
}

/** False for a pipe, a file or /dev/null. Cheaper than `process.stdout.isTTY`, which creates the stream. */
export function mayBeTerminal(output: Output): boolean {
  if (process.platform === 'win32') return true
  isDevice[output] ??= isCharacterDevice(output === 'stdout' ? 1 : 2)
  return isDevice[output]
}

/** /dev/null is a character device too, but no terminal. */
function isCharacterDevice(fd: number): boolean {
  const stat = fstatSync(fd)
  return stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev
}

const isDevice: { [name in Output]?: boolean } = {}

function isTerminal(output: Output): boolean {
  return mayBeTerminal(output) && process[output].isTTY === true
}
