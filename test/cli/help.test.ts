import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderCommands, renderGroups, renderHelp } from '../../src/cli/help.ts'
import { descriptions, findCommand, groupedCommands } from '../../src/commands/index.ts'
import { displayWidth } from '../../src/text/width.ts'

const names = descriptions.map(([name]) => name)

/** The words of a page, regardless of line breaks. */
const wordsOf = (page: string) => page.split(/\s+/).filter(Boolean)
const sorted = (page: string) => wordsOf(page).sort()

describe('cli: help', () => {
  it.each(names)('the help of %s fits into 60 columns without breaking words', async (name) => {
    const command = await findCommand(name, [])
    const page = renderHelp(command, 60)
    for (const line of page.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(60)
    expect(sorted(page)).toEqual(sorted(renderHelp(command)))
  })

  it('the list of commands fits into 60 columns without breaking words', () => {
    const page = renderCommands(descriptions, { version: '1.0.0', width: 60 })
    for (const line of page.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(60)
    expect(sorted(page)).toEqual(sorted(renderCommands(descriptions, { version: '1.0.0' })))
  })

  it('the first page names commands that exist, and fits into 15 lines of 80 columns', () => {
    const page = renderGroups(groupedCommands, { version: '1.0.0', width: 80 })
    const lines = page.split('\n')
    expect(lines.length).toBeLessThanOrEqual(15)
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80)
    for (const [, members] of groupedCommands) {
      expect(members.length).toBeGreaterThan(0)
      expect(names).toEqual(expect.arrayContaining([...members]))
    }
  })

  it('wrapped text continues in its own column', () => {
    const page = renderCommands([['init', 'Register hookbell with an agent client']], {
      version: '1.0.0',
      width: 32,
    })
    expect(page).toContain('  init  Register hookbell with\n        an agent client\n')
  })

  it('the list of commands breaks no word at any width', () => {
    const word = fc.stringMatching(/^[a-z]{1,30}$/)
    const text = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(fc.array(fc.tuple(word, text), { minLength: 1 }), fc.nat(200), (rows, width) => {
        const page = renderCommands(rows, { version: '1.0.0', width })
        expect(sorted(page)).toEqual(sorted(renderCommands(rows, { version: '1.0.0' })))
      }),
    )
  })
})
