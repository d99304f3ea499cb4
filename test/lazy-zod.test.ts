import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import * as zod from 'zod'
import { makeZodLazy } from '../scripts/build/plugins.ts'
import { lazyZod } from '../src/lazy-zod.ts'
import { makeFolder } from './support/folder.ts'

/** A schema with every construct that the schemas of the worker use. */
function makeSchema(z: Pick<typeof zod, keyof ReturnType<typeof lazyZod>>) {
  const name = z.string().regex(/^\w+$/, 'must be a word').describe('A name')
  const file = z.strictObject({ type: z.literal('file'), path: name.meta({ secret: true }) })
  const mail = z.strictObject({
    type: z.literal('mail'),
    to: z.array(z.string().refine((text) => text.includes('.'))).min(1),
    server: z.url().optional(),
  })
  return z
    .object({
      ...{ channels: z.record(name, z.discriminatedUnion('type', [file, mail])) },
      kind: z.enum(['a', 'b']).default('a'),
      mood: z.enum(['good', 'other']).optional().catch('other'),
      size: z.union([z.int().positive(), z.boolean()]).nullish(),
      rest: z.strictObject({ any: z.unknown(), age: z.number().nonnegative().max(9) }).prefault({
        any: 1,
        age: 2,
      }),
    })
    .superRefine(({ kind, size }, context) => {
      if (kind === 'b' && !size)
        context.addIssue({ code: 'custom', path: ['size'], message: 'none' })
    })
}

const fails = () => {
  throw new Error('zod was loaded')
}

describe('lazyZod', () => {
  it.each([
    [{ channels: { a: { type: 'file', path: 'p' } }, size: 3 }],
    [{ channels: { a: { type: 'mail', to: ['me@example.com'] } }, kind: 'b', size: true }],
    [{ channels: {}, rest: { any: [], age: 10 } }],
    [{ channels: { a: { type: 'mail', to: ['@'], server: 'no' }, b: { type: 'file' } } }],
    [{ channels: { 'a b': { type: 'file', path: '!' } }, size: 0 }],
    [{ channels: {}, kind: 'b' }],
    [{ channels: {}, mood: 'new' }],
    [7],
  ])('validates like zod: %j', (value) => {
    const { success, data, error } = makeSchema(lazyZod(() => zod)).safeParse(value)
    const real = makeSchema(zod).safeParse(value)
    expect({ success, data }).toEqual({ success: real.success, data: real.data })
    expect(error?.issues).toEqual(real.error?.issues)
  })

  it('loads zod only on the first validation', () => {
    const z = lazyZod(fails)
    const schema = makeSchema(z)
    const fields = z.object({ a: z.string().describe('A') }).shape
    expect(Object.keys(fields)).toEqual(['a'])
    expect(() => schema.parse(JSON.parse('{'))).toThrow(SyntaxError)
    expect(() => schema.parse({})).toThrow('zod was loaded')
  })

  it('keeps descriptions and metadata', () => {
    const z = lazyZod(() => zod)
    const field = z.string().describe('A field').meta({ secret: true })
    expect(field.description).toBe('A field')
    expect(field.meta()?.secret).toBe(true)
    expect(z.string().meta()).toBeUndefined()
  })

  it('has every method that a module uses when it is loaded', async () => {
    const folder = await makeFolder()
    await build({
      entryPoints: ['src/index.ts'],
      bundle: true,
      platform: 'node',
      mainFields: ['module', 'main'],
      sourcemap: 'inline',
      outfile: join(folder, 'index.cjs'),
      plugins: [makeZodLazy()],
      logLevel: 'error',
    })
    const message = 'a schema is made at the start: use only methods in src/lazy-zod.ts'
    mkdirSync(join(folder, 'packages'))
    writeFileSync(join(folder, 'packages/zod.cjs'), `throw new Error(${JSON.stringify(message)})`)
    const options = ['--enable-source-maps', '--stack-trace-limit=30']
    const program = [...options, join(folder, 'index.cjs')]
    const { stderr } = await execa(process.execPath, program, { reject: false })
    expect(stderr).toBe('')
  })
})
