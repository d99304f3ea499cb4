import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everything, listEndpoints } from '../../src/api/endpoints/index.ts'
import { root } from '../support/home.ts'
import { startLanguageServer } from '../support/language-server.ts'

const endpoints = listEndpoints(everything).map(({ id }) => id)
const messages = 'sessions.messages'
const added = [
  'serviceAccounts.keys.rotateTo',
  'organization.limits.setManyUsers',
  `${messages}.watch`,
  `${messages}.addAndWait`,
]
const loops: { [over: string]: string } = {
  ...Object.fromEntries(
    listEndpoints(everything).flatMap(({ id, page }) =>
      page ? [[`client.${id}(input)`, '\\w+']] : [],
    ),
  ),
  [`client.${messages}.list(input).pages()`]: 'ListMessagesResponse',
  [`client.${messages}.watch(input)`]: 'Message',
  [`await client.${messages}.addAndWait(input)`]: 'Message',
  '(await client.analytics.tokens(input)).data': 'TokenUsageRow',
  '(await client.analytics.productivity(input)).data': 'ProductivityRow',
  '(await client.organization.limits.setUsers(input)).errors': '\\w+',
}

/** What a person meets in errors and responses, and a word of its description. */
const fields: { [place: string]: RegExp } = {
  'client.computers.get(input).withResponse': /status, the headers/,
  'refusal.kind': /narrows the type/,
  'failure.hint': /What to do/,
  'failure.attempts': /How many attempts/,
  'failure.outcome': /carried out/,
  'refusal.status': /HTTP status/,
  'refusal.retryAt': /Retry-After/,
  'refusal.requestId': /support/,
  'refusal.detail': /service/,
  'refusal.title': /Title/,
  'refusal.bodyText': /body/,
  'refusal.headers': /headers/,
  'mistake.issues': /fields/,
  'delay.phase': /What the call was doing/,
  'delay.limit': /option/,
}

// An argument of type `never` is assignable to every parameter.
const text = `import { createClient } from ${JSON.stringify(join(root, 'dist/types/api/index.js'))}
import type { ClientError, HttpError, TimeoutError, ValidationError } from ${JSON.stringify(join(root, 'dist/types/api/index.js'))}
declare const failure: ClientError
declare const refusal: HttpError
declare const mistake: ValidationError
declare const delay: TimeoutError
const client = createClient()
declare const input: never
${endpoints.map((id, at) => `const response${at} = await client.${id}(input)`).join('\n')}
${added.map((id) => `void client.${id}`).join('\n')}
${Object.keys(loops)
  .map((over, at) => `for await (const item${at} of ${over}) void item${at}`)
  .join('\n')}
${Object.keys(fields)
  .map((place) => `void ${place}`)
  .join('\n')}
`

describe('an editor shows', () => {
  let editor: Awaited<ReturnType<typeof startLanguageServer>>

  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hookbell-hover-'))
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', types: [] }
    const lib = ['es2024', 'esnext.disposable', 'dom']
    const tsconfig = { compilerOptions: { ...compilerOptions, lib, noEmit: true } }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    await writeFile(join(folder, 'main.mts'), text)
    editor = await startLanguageServer(join(folder, 'main.mts'), text)
  })
  afterAll(async () => {
    await editor.close()
    await rm(folder, { recursive: true })
  })

  /** The hover text for the last word of a text in the program. */
  async function show(place: string) {
    const last = /\w+\W*$/.exec(place)?.index ?? 0
    const found = await editor.hover(text.indexOf(place) + last)
    expect(found.code.length).toBeLessThan(200)
    expect(found.code).not.toMatch(/zod|\bany\b|[{}]/i)
    return found
  }

  it('no error in a program that uses every method', async () => {
    expect(await editor.errors()).toEqual([])
  })

  it.each(endpoints)('%s as a method with type names and a description', async (id) => {
    const { code, about } = await show(`await client.${id}(`)
    expect(code).toMatch(/^\(method\) \w+\.\w+\(/)
    expect(code).toMatch(/(ApiPromise<\w+>|PageList<\w+, \w+>)( \(\+\d overloads?\))?$/)
    expect(about).toMatch(/^[A-Z]/)
  })

  it.each(endpoints.map((id, at) => [id, at]))(
    'the response of %s as a type name',
    async (_, at) => {
      const { code } = await show(`const response${at}`)
      expect(code).toMatch(/^const response\d+: \w+$/)
    },
  )

  it.each(added)('%s as a name with a description', async (id) => {
    const { code, about } = await show(`void client.${id}`)
    expect(code).toMatch(/^\(property\) \w+\.\w+: \w+$/)
    expect(about).toMatch(/^[A-Z]/)
  })

  it.each(Object.entries(fields))('%s with a description', async (place, description) => {
    const { about } = await editor.hover(
      text.indexOf(`void ${place}`) + `void ${place}`.lastIndexOf('.') + 1,
    )
    expect(about).toMatch(description)
  })

  it.each(Object.entries(loops).map(([over, name], at) => [over, name, at] as const))(
    'the variable of a loop over %s as a type name',
    async (_, name, at) => {
      const { code } = await show(`for await (const item${at}`)
      expect(code).toMatch(new RegExp(`^const item${at}: ${name}$`))
    },
  )
})
