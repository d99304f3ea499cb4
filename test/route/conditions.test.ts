import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/load/load.ts'
import { configSchema } from '../../src/config/schema/schema.ts'
import { unreachableChannels } from '../../src/config/unreachable-channels.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { Patterns } from '../../src/route/conditions.ts'
import { route } from '../../src/route/route.ts'
import { makeAgentEvent } from '../support/payload.ts'
import { buildProgram } from '../support/program.ts'

/** A harmless pattern that takes some milliseconds of CPU time. */
const [pattern, text] = ['a*a*b|c', `${'a'.repeat(200)}c`]

const ROUNDS = 5

/** Expressions and texts that would take years. */
const evil = Array.from({ length: 100 }, (_, index) => `(a+)+${index}$`)

const evilText = `${'a'.repeat(3000)}!`

const evilGlob = '*a*a*a*a*a*a*a*a*b'

const evilName = 'a'.repeat(250)

const deps = { host: 'workstation', now: Date.parse('2026-11-20T09:00:00Z') }

const event: EnrichedEvent = {
  ...makeAgentEvent({
    client: 'claude',
    cwd: join(homedir(), 'code/api-server'),
    message: 'May I run make deploy?',
    reason: 'other',
    permissionMode: 'plan',
    durationMs: 90_000,
    env: { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' },
  }),
  project: 'api-server',
  branch: 'release/1.2',
  title: '',
  firstPrompt: '',
  tokens: undefined,
  did: { tools: {}, files: [], commands: [] },
}

function decide(conditions: object, more: object = {}, told: Partial<EnrichedEvent> = {}) {
  const routes = [{ on: ['*'], to: ['a'], ...conditions, ...more }]
  const { routes: parsed = [] } = configSchema.parse({ routes })
  const { candidates, trace } = route({ ...event, ...told }, { routes: parsed }, deps)
  return { isTold: candidates.length > 0, because: trace[0]?.because }
}

const table: [string, object, boolean][] = [
  ['project', { project: ['api-server'] }, true],
  ['project', { project: ['web', 'api-*'] }, true],
  ['project', { project: ['~/code/**'] }, true],
  ['project', { project: ['~/play/**'] }, false],
  ['branch', { branch: ['release/*'] }, true],
  ['branch', { branch: ['main'] }, false],
  ['client', { client: ['claude', 'codex'] }, true],
  ['client', { client: ['droid'] }, false],
  ['reason', { reason: ['other'] }, true],
  ['reason', { reason: ['exit'] }, false],
  ['message', { message: '\\bdeploy\\b' }, true],
  ['message', { message: '^deploy' }, false],
  ['minSeconds', { minSeconds: 90 }, true],
  ['minSeconds', { minSeconds: 91 }, false],
  ['asks', { asks: false }, true],
  ['asks', { asks: true }, false],
  ['permissionMode', { permissionMode: ['plan'] }, true],
  ['permissionMode', { permissionMode: ['default'] }, false],
  ['host', { host: ['work*'] }, true],
  ['host', { host: ['laptop'] }, false],
  ['time', { from: '09:00', to: '17:00', timeZone: 'UTC' }, true],
  ['time', { from: '09:01', timeZone: 'UTC' }, false],
  ['time', { to: '09:00', timeZone: 'UTC' }, false],
  ['time', { from: '22:00', to: '10:00', timeZone: 'UTC' }, true],
  ['time', { weekday: ['fri'], timeZone: 'UTC' }, true],
  ['time', { weekday: ['sat', 'sun'], timeZone: 'UTC' }, false],
  ['ssh', { ssh: true }, true],
  ['ssh', { ssh: false }, false],
  ['headless', { headless: false }, true],
  ['headless', { headless: true }, false],
]

describe('a route with conditions', () => {
  it.each<Partial<EnrichedEvent>>([{ kind: 'permission' }, { kind: 'done', asks: true }])(
    'knows that %j asks',
    (told) => {
      expect(decide({ when: { asks: true } }, {}, told).isTold).toBe(true)
      expect(decide({ not: { asks: true } }, {}, told).isTold).toBe(false)
    },
  )

  it.each<[isHeadless: boolean | undefined, holds: boolean]>([
    [true, true],
    [false, false],
    [undefined, false],
  ])('takes a session for one without a person only if that is known: %s', (isHeadless, holds) => {
    expect(decide({ when: { headless: true } }, {}, { isHeadless }).isTold).toBe(holds)
    expect(decide({ when: { headless: false } }, {}, { isHeadless }).isTold).toBe(!holds)
  })

  it.each<[isHere: boolean | undefined, here: boolean, away: boolean]>([
    [true, true, false],
    [false, false, true],
    [undefined, true, true],
  ])('knows where a person is, or tells: %s', (isHere, here, away) => {
    for (const [conditions, holds] of [
      [{ here: true }, here],
      [{ here: false }, away],
      [{ away: true }, away],
      [{ away: false }, here],
    ] as const) {
      expect(decide({ when: conditions }, {}, { isHere }).isTold).toBe(holds)
      // Nothing that is unknown keeps a message back.
      const isExcluded = isHere !== undefined && holds
      expect(decide({ not: conditions }, {}, { isHere }).isTold).toBe(!isExcluded)
    }
  })

  it.each(table)('checks %s: %j', (name, conditions, holds) => {
    const when = decide({ when: conditions })
    expect(when.isTold).toBe(holds)
    expect(when.because).toContain(`when ${name}: `)
    const not = decide({ not: conditions })
    expect(not.isTold).toBe(!holds)
    if (holds) expect(not.because).toContain(`not ${name}: `)
  })

  it.each([
    [
      'api-server',
      'code/api-server/src/web',
      ['~/code/api-server', '~/code/*', '~/code/api-server/src/web'],
      true,
    ],
    ['api-server', 'code/api-server/src', ['~/code', '~/*', '~/code/api-server/*/web'], false],
    ['shop (bold-fox)', 'trees/bold-fox/src', ['shop'], true],
    ['shop (bold-fox)', 'trees/bold-fox/src', ['~/trees/bold-fox'], true],
    ['shop (bold-fox)', 'trees/bold-fox/src', ['bold-fox', '~/trees', 'sho'], false],
    ['shop', '.work/shop/.tree', ['~/**', '~/.work/*/**'], true],
    ['site (copy)', 'code/site (copy)/src', ['~/code/site (copy)'], true],
    ['home', '', ['shop'], false],
  ])(
    'matches the name and the folder of the project %s in ~/%s by %j: %s',
    (project, folder, patterns, holds) => {
      const told = { project, cwd: join(homedir(), folder) }
      for (const pattern of patterns)
        expect([pattern, decide({ when: { project: [pattern] } }, {}, told).isTold]).toEqual([
          pattern,
          holds,
        ])
    },
  )

  it('needs all of `when` and none of `not`', () => {
    const when = { client: ['claude'], branch: ['main'] }
    expect(decide({ when })).toEqual({ isTold: false, because: 'when branch: main' })
    const not = { branch: ['main'], ssh: true }
    expect(decide({ not })).toEqual({ isTold: false, because: 'not ssh: true' })
  })

  it('does not match `minSeconds` if the duration of the turn is unknown', () => {
    expect(decide({ when: { minSeconds: 1 } }, {}, { durationMs: undefined }).isTold).toBe(false)
  })

  it('also matches the reason of a failure', () => {
    const failure = { reason: 'rate_limit', cause: 'limit', isLimit: true, resetsAt: undefined }
    expect(decide({ when: { reason: ['rate_limit'] } }, {}, { failure }).isTold).toBe(true)
  })

  it.each([
    [0, 100_000, true],
    [100_000, 0, true],
    [50_000, 50_000, false],
  ])('finds a match with %i characters before it and %i after it: %s', (before, after, isTold) => {
    const lastMessage = `${'x'.repeat(before)} Shall I deploy? ${'x'.repeat(after)}`
    expect(decide({ when: { message: 'Shall I' } }, {}, { lastMessage }).isTold).toBe(isTold)
  })

  it.each<[string, object, Partial<EnrichedEvent>]>([
    ['message', { message: '(a+)+$' }, { lastMessage: `${'a'.repeat(3000)}!` }],
    ['branch', { branch: ['*a*a*a*a*a*a*a*b'] }, { branch: 'a'.repeat(250) }],
    ['project', { project: ['*a*a*a*a*a*a*a*b'] }, { project: 'a'.repeat(250) }],
  ])('does not match a %s that takes too long, and says so', (name, conditions, told) => {
    const when = decide({ when: conditions }, {}, told)
    expect(when.isTold).toBe(false)
    expect(when.because).toMatch(new RegExp(`^when ${name}: .* \\(took too long\\)$`))
    expect(decide({ not: conditions }, {}, told).isTold).toBe(true)
  })

  it('does not execute code in the text of an agent', () => {
    const lastMessage = "'); globalThis.pwned = true; ('"
    expect(decide({ when: { message: 'pwned' } }, {}, { lastMessage }).isTold).toBe(true)
    expect(globalThis).not.toHaveProperty('pwned')
  })

  it('ends the evaluation of later routes with `stop`', () => {
    const routes = [
      { on: ['done'], to: ['a'], stop: true },
      { on: ['done'], to: ['b'] },
    ]
    const { candidates, trace } = route(event, { routes }, deps)
    expect(candidates.map(({ channel }) => channel)).toEqual(['a'])
    expect(trace).toHaveLength(1)
  })
})

describe('a mistake in `routes` or `noise`', () => {
  const read = (config: object) => () =>
    parseConfig(JSON.stringify(config), {
      path: 'config.json',
      secrets: { file: new Map(), env: {} },
    })
  const when = (conditions: object) => ({
    routes: [{ on: ['*'], to: ['desktop'], when: conditions }],
  })

  it.each<[object, string, string]>([
    [when({ brnch: ['main'] }), 'routes.0.when.brnch: unknown key', 'Did you mean "branch"?'],
    [when({ branch: 'main' }), 'routes.0.when.branch: must be', 'Put it in brackets'],
    [when({ message: '(a' }), 'routes.0.when.message: must be a regular expression', ''],
    [when({ weekday: ['friday'] }), 'routes.0.when.weekday.0: must be', ''],
    [when({ from: '9 am' }), 'routes.0.when.from: must be a time such as 22:00', ''],
    [when({ timeZone: 'Berlin' }), 'routes.0.when.timeZone: must be the name of a time zone', ''],
    [{ noise: { minSecond: 1 } }, 'noise.minSecond: unknown key', 'Did you mean "minSeconds"?'],
    [{ noise: { off: ['idel'] } }, 'noise.off.0: must be', ''],
    [
      { noise: { quietHours: [{ from: '22:00', til: '7:00' }] } },
      'noise.quietHours.0.til: unknown key',
      'Known: ',
    ],
  ])('is reported with its path: %j', (config, message, hint) => {
    expect(read(config)).toThrow(message)
    try {
      read(config)()
    } catch (error) {
      expect((error as { hint?: string }).hint ?? '').toContain(hint)
    }
  })
})

it('a channel that no route names is reported as unreachable', () => {
  const channels = { desk: { type: 'desktop' }, team: { type: 'desktop' } } as const
  const routes = [{ on: ['*'], to: ['desk'] }]
  const config = configSchema.parse({ channels, routes })
  expect(unreachableChannels({ channels: config.channels, routes, digest: undefined })).toEqual([
    'team',
  ])
})

describe('the patterns of routes', () => {
  it('match, do not match, or are invalid and do not match', () => {
    const patterns = new Patterns()
    expect(patterns.matches(pattern, 'aac')).toBe(true)
    expect(patterns.matches(pattern, 'aa')).toBe(false)
    expect(patterns.matches('(', 'aac')).toBe(false)
  })

  it.each([
    ['api-*', 'api-server', true],
    ['api-*', 'web', false],
    ['api-*', 'api-a/b', false],
    ['/code/**', '/code/a/.b', true],
    ['!web', 'api', true],
    ['{api,web}', 'web', true],
    ['a b.c', 'a bxc', false],
    ['@(a)', 'a', false],
  ])('may be %j for names, as in a shell: %j', (glob, name, result) => {
    expect(new Patterns().matchesGlob(glob, name)).toBe(result)
  })

  it('end, however many of an event backtrack without end', () => {
    const patterns = new Patterns()
    for (const one of evil) expect(patterns.matches(one, evilText)).toBeUndefined()
    expect(patterns.matchesGlob(evilGlob, evilName)).toBeUndefined()
  })

  it('leave time for others that are harmless, also in the next event', () => {
    const patterns = new Patterns()
    for (const one of evil.slice(0, 5)) patterns.matches(one, evilText)
    expect(patterns.matches('b$', `${evilText}b`)).toBe(true)
    expect(patterns.matchesGlob('web-*', 'web-shop')).toBe(true)
    expect(new Patterns().matches(pattern, 'aac')).toBe(true)
  })

  it.skipIf(process.platform === 'win32')(
    'matches although its process is stopped again and again',
    async () => {
      const program = await buildProgram('src/route/conditions.ts')
      const code = `
        import { Patterns } from ${JSON.stringify(program)}
        console.log('ready')
        const rounds = Array.from({ length: ${ROUNDS} }, () => new Patterns().matches(${JSON.stringify(pattern)}, ${JSON.stringify(text)}))
        console.log(rounds.filter(Boolean).length)`
      const child = spawn(process.execPath, ['--input-type=module', '--eval', code])
      onTestFinished(() => void child.kill('SIGKILL'))
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
      })
      await expect.poll(() => output).toContain('ready')
      while (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGSTOP')
        await sleep(100)
        child.kill('SIGCONT')
        await sleep(3)
      }
      await expect.poll(() => output).toMatch(/^ready\n\d+\n$/)
      expect(output).toBe(`ready\n${ROUNDS}\n`)
    },
  )
})
