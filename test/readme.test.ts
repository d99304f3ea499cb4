import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { renderHelp } from '../src/cli/help.ts'
import { findCommand } from '../src/commands/index.ts'
import { kinds } from '../src/event/event.ts'
import type { Notifier } from '../src/notifiers/define.ts'
import { notifiers } from '../src/notifiers/index.ts'
import { makeHome, root } from './support/home.ts'
import { pages } from './support/pages.ts'

const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

describe('documentation', () => {
  it.each(pages)('%s links only to existing files', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
      ([, path]) => path ?? '',
    )
    expect(links.filter((path) => !existsSync(join(root, page, '..', path)))).toEqual([])
  })

  it.each(pages)('every row of a table in %s has as many cells as its head', (page) => {
    const withoutBlocks = textOf(page).replace(/^ *```[\s\S]*?^ *```/gm, '')
    for (const table of withoutBlocks.match(/(?:^ *\|.*\n)+/gm) ?? []) {
      const [head = '', ...rows] = table.trimEnd().split('\n')
      expect(rows.filter((row) => cellsOf(row) !== cellsOf(head))).toEqual([])
    }
  })

  it.each(pages)('%s names only existing commands', async (page) => {
    const home = await makeHome()
    const { stdout } = await home.run('--all')
    const known = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)
    const named = [...textOf(page).matchAll(/(?:`|^)hookbell ([a-z]+)/gm)].map(([, name]) => name)
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  })

  it('the README starts the demo and the tests with a command each; CI runs the same', () => {
    const commands = textOf('README.md').match(/^npm ci && npm \w+/gm)
    expect(commands).toEqual(['npm ci && npm start', 'npm ci && npm test'])
    expect(textOf('.ci/run').split('\n')).toContain('npm ci && npm test')
  })

  it('every format has a template for each kind', () => {
    const markups = Object.values<Notifier>(notifiers).flatMap(({ markup }) => markup?.name ?? [])
    const formats = readdirSync(join(root, 'templates')).sort()
    expect(formats).toEqual(['plain', ...markups].sort())
    for (const format of formats) {
      expect(readdirSync(join(root, 'templates', format)).sort()).toEqual(
        kinds.map((kind) => `${kind}.liquid`).sort(),
      )
    }
  })

  it('the library example of the README runs', async () => {
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(textOf('README.md')) ?? []
    const home = await makeHome({
      channels: { audit: { type: 'file', path: join('/tmp', 'unused') } },
      routes: [{ on: ['SessionEnd'], to: ['audit'] }],
    })
    const script = join(home.home, 'example.mjs')
    const library = pathToFileURL(join(root, 'dist/index.js')).href
    writeFileSync(
      script,
      `${code.replace("'hookbell'", JSON.stringify(library))}\nconsole.log(handled, id)`,
    )
    const { stdout } = await execa(process.execPath, [script], { env: home.env, extendEnv: false })
    expect(stdout).toMatch(/^1 /)
    const { stdout: log } = await home.run('log', stdout.split(' ')[1] ?? '')
    expect(log).toContain('suppressed')
  })

  it.each(pages.flatMap(callsOf))('%s uses only existing options: %s', async (_, line) => {
    const [, verb = '', ...words] = line.split(/\s+/)
    const help = renderHelp(await findCommand(verb, words))
    const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0])
    expect(options.filter((option) => !help.includes(`${option}`))).toEqual([])
  })
})

/** The commands with options in the shell blocks of a page. */
function callsOf(page: string): [page: string, line: string][] {
  const blocks = [...textOf(page).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const lines = blocks
    .join('')
    .split('\n')
    .filter((line) => /^hookbell .*--[a-z]/.test(line))
  return lines.map((line) => [page, line.replace(/\s+#.*/, '')])
}

/** A bar ends a cell even in code, unless it is escaped. */
function cellsOf(row: string): number {
  return row.split(/(?<!\\)\|/).length
}
