import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '../src')

/** Folders that every folder except the standalone API library may import. */
const shared = ['fs', 'text']

/** The folders that a folder may import besides itself. Files directly in src (errors, ...) are open to all. */
const mayImport: { [folder: string]: string[] } = {
  answer: ['clients', 'event', 'journal', 'spool'],
  api: [],
  board: ['context', 'journal', 'policy', 'spool'],
  cli: [],
  clients: [],
  commands: [
    'answer',
    'api',
    'board',
    'cli',
    'clients',
    'config',
    'context',
    'demo',
    'doctor',
    'emulator',
    'event',
    'hook',
    'hub',
    'hub-server',
    'journal',
    'policy',
    'prepare',
    'render',
    'report',
    'install',
    'simulate',
    'spool',
    'worker',
  ],
  config: ['event', 'hub', 'journal', 'notifiers'],
  context: ['clients', 'config', 'event', 'journal'],
  deliver: ['config', 'notifiers'],
  demo: ['install', 'journal', 'spool'],
  doctor: ['clients', 'config', 'context', 'install', 'journal', 'notifiers', 'policy', 'spool'],
  emulator: ['api'],
  event: ['clients', 'spool'],
  fs: [],
  hook: ['config', 'spool'],
  hub: ['event'],
  'hub-server': ['config', 'deliver', 'hub', 'notifiers'],
  install: ['clients', 'config', 'spool'],
  journal: [],
  notifiers: ['event', 'hub'],
  policy: ['clients', 'config', 'context', 'event', 'journal'],
  prepare: [
    'config',
    'context',
    'event',
    'journal',
    'notifiers',
    'policy',
    'render',
    'route',
    'spool',
  ],
  render: ['clients', 'context', 'event', 'notifiers'],
  report: ['event', 'journal'],
  route: ['clients', 'config', 'context', 'event', 'journal'],
  simulate: ['config', 'context', 'event', 'journal', 'notifiers', 'policy', 'prepare', 'report'],
  spool: [],
  text: [],
  worker: [
    'answer',
    'board',
    'clients',
    'config',
    'context',
    'deliver',
    'event',
    'journal',
    'notifiers',
    'policy',
    'prepare',
    'render',
    'report',
    'spool',
  ],
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
)

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  return [
    ...text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map(([, path, lazy]) => path ?? lazy ?? '')
}

function folderOf(file: string): string | undefined {
  return file.includes('/') ? file.split('/')[0] : undefined
}

/** The imports of the files in a folder from other files of ours. */
function importsOfFolder(folder: string): { file: string; target: string }[] {
  return files
    .filter((file) => folderOf(file) === folder)
    .flatMap((file) =>
      importsOf(file)
        .filter((path) => path.startsWith('.'))
        .map((path) => ({ file, target: relative(src, join(src, dirname(file), path)) })),
    )
}

/** The packages that a program imports statically. */
async function packagesOf(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(src, entry)],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    outdir: '/',
    metafile: true,
  })
  return Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  )
}

describe('architecture', () => {
  it.each(Object.keys(mayImport))('%s imports only from the allowed folders', (folder) => {
    const common = folder === 'api' ? [] : shared
    const allowed = [folder, undefined, ...common, ...(mayImport[folder] ?? [])]
    const wrong = importsOfFolder(folder).filter(
      ({ target }) => !allowed.includes(folderOf(target)),
    )
    expect(wrong.map(({ file, target }) => `${file} -> ${target}`)).toEqual([])
  })

  it('every import that a folder is allowed is used', () => {
    const unused = Object.entries(mayImport).flatMap(([folder, allowed]) => {
      const used = importsOfFolder(folder).map(({ target }) => folderOf(target))
      return allowed.filter((other) => !used.includes(other)).map((other) => `${folder}: ${other}`)
    })
    expect(unused).toEqual([])
  })

  it('every folder has an import rule', () => {
    const folders = new Set(files.map(folderOf).filter((folder) => folder !== undefined))
    expect([...folders].sort()).toEqual(Object.keys(mayImport).sort())
  })

  it('every folder is in the map of CONTRIBUTING.md', () => {
    const map = readFileSync(join(src, '../CONTRIBUTING.md'), 'utf8')
    const folders = files.filter((file) => file.includes('/')).map((file) => file.split('/')[0])
    const names = [...new Set(folders)].map((name) => `src/${name}/`)
    expect(names.filter((name) => !map.includes(`\`${name}\``))).toEqual([])
  })

  it('the front door loads only node: builtins', async () => {
    const packages = await packagesOf('hook/main.ts')
    expect(packages.length).toBeGreaterThan(0)
    expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([])
  })

  it('no notifier imports another one or its parts', () => {
    const notifierOf = (file: string) => /^notifiers\/(?!_|define|index)([\w-]+)/.exec(file)?.[1]
    const wrong = importsOfFolder('notifiers').filter(({ file, target }) => {
      const [own, other] = [notifierOf(file), notifierOf(target)]
      return own !== undefined && other !== undefined && own !== other
    })
    expect(wrong).toEqual([])
  })

  it('a file that starts with _ is imported only within its folder', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((path) => /^\..*\/_[^/]+$/.test(path))
        .filter(
          (path) => folderOf(relative(src, join(src, dirname(file), path))) !== folderOf(file),
        )
        .map((path) => `${file} -> ${path}`),
    )
    expect(wrong).toEqual([])
  })

  it('no file is longer than 600 lines, apart from the generated types', () => {
    const long = files.filter(
      (file) => readFileSync(join(src, file), 'utf8').split('\n').length > 600,
    )
    expect(long).toEqual(['api/types.ts'])
  })

  it('there are no circular imports', () => {
    const finished = new Set<string>()
    const circles: string[] = []
    const visit = (file: string, path: readonly string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
      if (path.includes(file) || finished.has(file)) return
      for (const name of importsOf(file)) {
        const target = relative(src, join(src, dirname(file), name))
        if (files.includes(target)) visit(target, [...path, file])
      }
      finished.add(file)
    }
    for (const file of files) visit(file, [])
    expect(circles).toEqual([])
  })

  it('no source file runs a shell string', () => {
    const wrong = files.filter((file) =>
      /shell: true|\bexecSync\(|\bexec\(/.test(
        readFileSync(join(src, file), 'utf8').replace(/\.exec\(/g, ''),
      ),
    )
    expect(wrong).toEqual([])
  })

  it('a detached process has no console window on Windows', () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(join(src, file), 'utf8')
      return text.includes('detached: true') && !text.includes('windowsHide: true')
    })
    // doctor does not run its canary on Windows.
    expect(wrong).toEqual(['doctor/door.ts'])
  })
})
