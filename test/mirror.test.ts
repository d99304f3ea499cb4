import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Test files that cover a whole folder instead of one source file. */
const topics: { [folder: string]: readonly string[] } = {
  '.': ['architecture', 'clone', 'mirror', 'package', 'package-consumers', 'readme', 'session'],
  api: ['helpers', 'hover'],
  'api/core': ['inspect'],
  'api/endpoints': ['conformance', 'endpoints', 'schemas'],
  'api/reference': ['reference'],
  'api/transports': [
    'as-response',
    'close',
    'compressed',
    'connecting',
    'giving-up',
    'hostile',
    'origin-queue',
    'process',
    'proxy',
    'surprises',
    'tls',
  ],
  'api/validation': ['neutral-names'],
  commands: [
    ...['answer-forged', 'answer-telegram', 'api-exit-codes', 'api-safety', 'canary-secret'],
    ...['delivery', 'hub-signals', 'json', 'numbers'],
  ],
  context: ['formats', 'hung-mount'],
  deliver: ['queue-promises'],
  doctor: ['arrival', 'canary', 'restart', 'faults', 'faults-of-hooks'],
  'emulator/handlers': ['session-history'],
  event: ['clients', 'sequences'],
  hook: [
    'agent-installed',
    'agent-node',
    'door-installed',
    'door-node',
    'durability-node',
    'durability-sh',
    'environment-installed',
    'environment-node',
    'environment-sh',
    'faults-installed',
    'faults-node',
    'faults-sh',
    'isolation-installed',
    'isolation-installed-node',
    'time-limit',
    'waiting-installed',
    'waiting-installed-node',
  ],
  'hub-server': ['examples', 'faults', 'power-cut', 'short-lived', 'sweep'],
  install: ['renewal', 'concurrent'],
  notifiers: [
    'compose',
    'desktop-tools',
    'email-encryption',
    'file-disk',
    'from-source',
    'no-desktop',
    'webhook-address',
  ],
  policy: ['promises', 'rules', 'sequences', 'told-in-time'],
  spool: ['handover'],
  'worker/dispatch': ['next-step'],
  'worker/watch': ['open-messages'],
  'config/load': ['route-warnings'],
  'install/edit': ['verify'],
  emulator: ['cors'],
  worker: [
    'attempts',
    'broken-parts',
    'crash',
    'delivery',
    'fallback',
    'foreign',
    'full-disk',
    'held',
    'hub',
    'hostile-repository',
    'hostile-terminal',
    'machine',
    'model',
    'moved-session',
    'reconcile',
    'recovery',
    'starvation',
    'steps',
    'upgrade',
    'upkeep',
  ],
}

/** Folders of test/ that mirror a folder beside src/, or that contain shared helpers. */
const others = /^(examples|fixtures|support)(\/|$)/

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.test.ts') && !others.test(path))

function hasSource(test: string): boolean {
  const [folder, stem] = [dirname(test), basename(test, '.test.ts')]
  // The source file may be private to its folder and start with _.
  return [stem, `_${stem}`].some((name) => existsSync(join(root, 'src', folder, `${name}.ts`)))
}

describe('mirror', () => {
  it('every test folder mirrors a source folder', () => {
    const folders = [...new Set(tests.map((test) => dirname(test)))]
    expect(folders.filter((folder) => !existsSync(join(root, 'src', folder)))).toEqual([])
  })

  it('every test file has the name of a source file or is a listed topic', () => {
    const lost = tests.filter(
      (test) => !hasSource(test) && !topics[dirname(test)]?.includes(basename(test, '.test.ts')),
    )
    expect(lost).toEqual([])
  })

  it('every listed topic has a test file and no source file', () => {
    const listed = Object.entries(topics).flatMap(([folder, names]) =>
      names.map((name) => join(folder, `${name}.test.ts`)),
    )

    expect(listed.filter((test) => !tests.includes(test))).toEqual([])
    expect(listed.filter(hasSource)).toEqual([])
  })
})
