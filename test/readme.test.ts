import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { execa } from 'execa'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { renderHelp } from '../src/cli/help.ts'
import { findCommand } from '../src/commands/index.ts'
import { kinds } from '../src/event/kind.ts'
import { makeHome, root } from './support/home.ts'

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

describe('documentation', () => {
  it.each(pages)('%s links to files that are there', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
      ([, path]) => path ?? '',
    )
    expect(links.filter((path) => !existsSync(join(root, page, '..', path)))).toEqual([])
  })

  it.each(pages)('%s names only commands that exist', async (page) => {
    const home = await makeHome()
    const { stdout } = await home.run('help')
    const known = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)
    const named = [...textOf(page).matchAll(/(?:`|^)hookbell ([a-z]+)/gm)].map(([, name]) => name)
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  })

  it('every template and every kind has a default text', () => {
    for (const format of ['plain', 'slack', 'html']) {
      expect(readdirSync(join(root, 'templates', format)).sort()).toEqual(
        kinds.map((kind) => `${kind}.liquid`).sort(),
      )
    }
  })

  it("runs the README's library example", async () => {
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

  it.each(pages.flatMap(configsOf))(
    '%s line %i is a configuration that works',
    async (_, __, text) => {
      const home = await makeHome()
      const given = parse(text)
      const channels = Object.fromEntries(
        namesIn(given).map((name) => [name, { type: 'file', path: '~/events.jsonl' }]),
      )
      await home.writeConfig(
        JSON.stringify({ ...given, channels: { ...channels, ...given.channels } }),
      )
      const { stdout } = await home.run('config', 'check', '--json')
      const { problems } = JSON.parse(stdout)
      // Secrets are not set here.
      const wrong = problems.filter((problem: string) => !problem.endsWith(' not set'))
      expect(wrong).toEqual([])
    },
  )

  it.each(pages.flatMap(callsOf))('%s shows options that there are: %s', async (_, line) => {
    const [, verb = '', ...words] = line.split(/\s+/)
    const help = renderHelp(await findCommand(verb, words))
    const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0])
    expect(options.filter((option) => !help.includes(`${option}`))).toEqual([])
  })
})

/** The blocks of settings of a page, each as a whole file. */
function configsOf(page: string): [page: string, line: number, text: string][] {
  const text = textOf(page)
  return [...text.matchAll(/```jsonc\n([\s\S]*?)```/g)].map(({ 1: block = '', index }) => {
    const whole = block.startsWith('"') ? `{ "channels": { ${block} } }` : block
    return [page, text.slice(0, index).split('\n').length, whole]
  })
}

/** The channels that a configuration leads to. */
function namesIn(config: object): string[] {
  const lists = JSON.stringify({ ...config, channels: undefined }).matchAll(/"to":(\[[^\]]*\])/g)
  return [...lists].flatMap(([, list = '[]']) => JSON.parse(list))
}

/** The commands in the blocks for a shell that have options. */
function callsOf(page: string): [page: string, line: string][] {
  const blocks = [...textOf(page).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const lines = blocks
    .join('')
    .split('\n')
    .filter((line) => /^hookbell .*--[a-z]/.test(line))
  return lines.map((line) => [page, line.replace(/\s+#.*/, '')])
}
