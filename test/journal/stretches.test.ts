import { closeSync, openSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eachLine, LONGEST_LINE, readStretches } from '../../src/journal/stretches.ts'
import { makeFolder } from '../support/folder.ts'

const MEBIBYTE = 1024 * 1024

async function makeFile(text: string) {
  const path = join(await makeFolder(), 'file')
  writeFileSync(path, text)
  const fd = openSync(path, 'r')
  onTestFinished(() => closeSync(fd))
  return { path, fd }
}

describe('the stretches of a file', () => {
  it.each([
    ['short lines', [10, MEBIBYTE - 20, 30, MEBIBYTE, 5]],
    ['a line that is longer than three stretches', [10, 3 * MEBIBYTE + 7, 10, 40]],
  ])('are whole lines, and together are the requested part: %s', async (_, lengths) => {
    const line = (length: number, index: number) => `${String(index % 10).repeat(length - 1)}\n`
    const text = `before\n${lengths.map(line).join('')}unfinished`
    const { fd } = await makeFile(`${text}, and after`)
    let read = 'before\n'
    for (const stretch of readStretches(fd, read.length, text.length)) {
      expect(stretch.start).toBe(read.length)
      read += stretch.text
      expect(stretch.text.endsWith('\n') || read.length === text.length).toBe(true)
    }
    // Not `toBe`, which would print megabytes.
    expect(read === text).toBe(true)
  })

  it('have a bounded length even where a line is longer than any entry', async () => {
    const text = `before\n${'\0'.repeat(3 * LONGEST_LINE)}\nafter\n`
    const { fd } = await makeFile(text)
    const stretches = [...readStretches(fd, 0, text.length)]
    expect(stretches.map((stretch) => stretch.text).join('') === text).toBe(true)
    expect(stretches.at(-1)?.text.endsWith('\nafter\n')).toBe(true)
    for (const { text } of stretches)
      expect(text.length).toBeLessThanOrEqual(LONGEST_LINE + MEBIBYTE)
  })

  it('end where the file was truncated meanwhile', async () => {
    const line = `${'x'.repeat(99)}\n`
    const { path, fd } = await makeFile(line.repeat(20_000))
    const stretches = readStretches(fd, 0, 2_000_000)
    expect(stretches.next().value?.start).toBe(0)
    truncateSync(path, 100)
    expect([...stretches]).toEqual([])
  })
})

it('each line is visited, except for empty ones and one without a line break at its end', () => {
  const lines: string[] = []
  const text = 'one\n\ntwo\nhalf'
  eachLine(text, (start, end) => lines.push(text.slice(start, end)))
  expect(lines).toEqual(['one', 'two'])
})
