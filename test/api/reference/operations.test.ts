import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everything, listEndpoints } from '../../../src/api/endpoints/index.ts'
import { shareTexts } from '../../../src/api/reference/share.ts'
import { runs } from '../../support/runs.ts'
import { operationOf } from '../_support.ts'

describe('an operation that the client completes', () => {
  it.each(listEndpoints(everything))('$id has the facts of its entry in the table', (endpoint) => {
    const { method, path, alternatePath, host, success, retry, page, hints } = endpoint
    const { passthrough, strictInput } = endpoint
    const facts = { method, path, alternatePath, host, success, retry, page, hints }
    const operation = operationOf(endpoint.id)
    expect(operation).toMatchObject(
      JSON.parse(JSON.stringify({ ...facts, passthrough, strictInput })),
    )
    for (const part of ['params', 'query', 'body'] as const)
      expect(new Set(operation[part]?.fields?.keys()), part).toEqual(
        new Set(Object.keys(endpoint[part]?.shape ?? {})),
      )
  })
})

describe('texts that share constants', () => {
  it('are the texts that they were', () => {
    const word = fc.constantFrom('sessions', 'session', 'limit', '{', '}', '?:', ',', '$', ' ')
    const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(''))
    const texts = fc.array(
      text.filter((one) => !one.includes('${')),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(texts, (given) => {
        const code = shareTexts(`return [${given.map((one) => `\`${one}\``).join(', ')}]`)
        expect(new Function(code)()).toEqual(given)
      }),
      { numRuns: runs(50) },
    )
  })

  it('are written once', () => {
    const path = 'v0/organization/usage/limits/'
    const code = shareTexts(`const a = [\`${path}global\`, \`PUT ${path}users\`, \`${path}\`]`)
    expect(code.split(path)).toHaveLength(2)
  })
})
