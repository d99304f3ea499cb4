import { fstatSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]
type Output = 'stdout' | 'stderr'

/** Colours only where a person looks at a terminal. https://no-color.org */
export function hasColour(output: Output): boolean {
  return isTerminal(output) && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

export function colour(style: Style, text: string, output: Output): string {
  return hasColour(output) ? styleText(style, text) : text
}

/** Columns of the terminal a person looks at; undefined for a pipe or a file. */
export function terminalWidth(output: Output = 'stdout'): number | undefined {
  return isTerminal(output) ? process[output].columns || undefined : undefined
}

/** Whether it is not a pipe or a file. Cheaper than asking process.stdout, which is made by the question. */
export function mayBeTerminal(output: Output): boolean {
  if (process.platform === 'win32') return true
  isDevice[output] ??= isCharacterDevice(output === 'stdout' ? 1 : 2)
  return isDevice[output]
}

/** But the one that takes everything and shows nothing. */
function isCharacterDevice(fd: number): boolean {
  const stat = fstatSync(fd)
  return stat.isCharacterDevice() && stat.rdev !== statSync(devNull).rdev
}

const isDevice: { [name in Output]?: boolean } = {}

function isTerminal(output: Output): boolean {
  return mayBeTerminal(output) && process[output].isTTY === true
}
