import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { parseFaults } from '../../src/emulator/faults.ts'
import { parseSeed } from '../../src/emulator/index.ts'
import { makeHome, root } from '../support/home.ts'
import { pages } from '../support/pages.ts'
import { startReceiver } from '../support/receiver.ts'

/** The kinds of JSON blocks: how a block is recognized, and a check that throws or rejects. */
const kinds: Record<string, { isOne(value: object): boolean; check(value: object): unknown }> = {
  configuration: {
    isOne: (value) => hasOneOf(value, 'channels', 'routes', 'noise', 'digest', 'hub', 'secrets'),
    check: checkConfig,
  },
  'seed of the emulator': {
    isOne: (value) => hasOneOf(value, 'users', 'computers', 'sessions', 'agent'),
    check: (value) => parseSeed(value),
  },
  'faults of the emulator': { isOne: Array.isArray, check: (value) => parseFaults(value) },
  'settings of another program': {
    isOne: (value) => hasOneOf(value, 'statusLine', 'custom/hookbell'),
    // test/board/line.test.ts runs it.
    check: () => {},
  },
  'body of a webhook': {
    isOne: (value) => hasOneOf(value, 'data'),
    check: checkWebhookBody,
  },
}

const hasOneOf = (value: object, ...keys: string[]) => keys.some((key) => Object.hasOwn(value, key))

describe('JSON snippets', () => {
  it.each(pages.flatMap(blocksOf))(
    '%s line %i is valid for exactly one kind of block',
    async (_, __, text) => {
      const errors: ParseError[] = []
      const value = parse(text, errors)
      expect(errors).toEqual([])
      const matching = Object.values(kinds).filter(({ isOne }) => isOne(value))
      expect(matching, `known: ${Object.keys(kinds).join(', ')}`).toHaveLength(1)
      await matching[0]?.check(value)
    },
  )
})

/** The JSON blocks of a page. A block of channels is completed to a configuration. */
function blocksOf(page: string): [page: string, line: number, text: string][] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^ *```jsonc?\n([\s\S]*?)^ *```/gm)].map(({ 1: block = '', index }) => {
    const whole = block.startsWith('"') ? `{ "channels": { ${block} } }` : block
    return [page, text.slice(0, index).split('\n').length, whole]
  })
}

/** Checks with the program itself. Channels that are defined in another block are replaced by files. */
async function checkConfig(given: { channels?: object; hub?: object }) {
  const home = await makeHome()
  const channels = Object.fromEntries(
    namesIn(given).map((name) => [name, { type: 'file', path: '~/events.jsonl' }]),
  )
  const all = { ...channels, ...given.channels }
  const named = Object.keys(all).length > 0 ? { channels: all } : {}
  await home.writeConfig(JSON.stringify({ ...given, ...named }))
  const { stdout } = await home.run('config', 'check', '--json')
  const { problems } = JSON.parse(stdout)
  // Missing secrets are expected here, and missing files of notifiers.
  const isExpected = (problem: string) => / not set$|there is no file/.test(problem)
  expect(problems.filter((problem: string) => !isExpected(problem))).toEqual([])
}

/** The channels in the routes of a configuration, without those of its hub. */
function namesIn({ hub, ...config }: { channels?: object; hub?: { channels?: string[] } }) {
  const lists = JSON.stringify({ ...config, channels: undefined }).matchAll(/"to":(\[[^\]]*\])/g)
  const names: string[] = [...lists].flatMap(([, list = '[]']) => JSON.parse(list))
  return names.filter((name) => !hub?.channels?.includes(name))
}

/** A real webhook body must have the same fields with the same types. */
async function checkWebhookBody(shown: object) {
  const receiver = await startReceiver()
  const home = await makeHome({
    channels: { hook: { type: 'webhook', url: receiver.url } },
    routes: [{ on: ['*'], to: ['hook'] }],
  })
  home.accept(
    {
      hook_event_name: 'Notification',
      message: 'Claude needs your permission to use Bash',
      session_id: 's',
    },
    'claude',
  )
  await home.run('worker', '--once')
  expect(shapeOf(shown)).toEqual(shapeOf(JSON.parse(receiver.received[0]?.body ?? 'null')))
}

/** A copy of the value with the type name instead of each text, number and boolean. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
}
