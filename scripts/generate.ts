import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { configJsonSchema } from '../src/config/schema/json-schema.ts'
import { exampleHooks } from '../src/install/example.ts'
import { breaks } from './break/breaks.ts'
import {
  beyondTable,
  choicesTable,
  clientModules,
  endpointsTable,
  openApiText,
} from './generate/api-pages.ts'
import { commandsPage } from './generate/commands-page.ts'
import { optionsTable } from './generate/options-table.ts'

const commands = await commandsPage()

/** Every file that is generated from the code. `--check` fails if one is out of date. */
const files: { [path: string]: (old: string) => string } = {
  'hooks.example.json': exampleHooks,
  'config.schema.json': () => `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  'openapi.json': openApiText,
  'docs/api.md': (old) =>
    replaceBlock(replaceBlock(old, 'endpoints', endpointsTable()), 'beyond', beyondTable()),
  'docs/emulator.md': (old) => replaceBlock(old, 'choices', choicesTable()),
  ...clientModules,
  'docs/commands.md': () => commands,
  'docs/testing.md': (old) => replaceBlock(old, 'breaks', breaksTable()),
  'docs/notifiers.md': (old) => replaceBlock(old, 'notifiers', optionsTable()),
}

const check = process.argv.includes('--check')
let stale = 0
for (const [path, content] of Object.entries(files)) {
  const old = readText(path)
  const text = content(old)
  if (text === old) continue
  stale += 1
  if (check) console.error(`${path} is out of date. Run: npm run gen`)
  else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}
process.exitCode = check && stale > 0 ? 1 : 0

function breaksTable(): string {
  const rows = breaks.map(({ mechanism, tests }) => {
    const files = tests.map((test) => `[${test.replace(/^test\/|\.test\.ts$/g, '')}](../${test})`)
    return `| ${mechanism} | ${files.join(', ')} |`
  })
  return ['| what must be true | guarded by |', '|---|---|', ...rows].join('\n')
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function replaceBlock(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name}: generated -->`, `<!-- /${name} -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`no block "${name}" to write to`)
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`
}
