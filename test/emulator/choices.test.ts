import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { everything, listEndpoints } from '../../src/api/endpoints/index.ts'
import { chosen } from '../../src/emulator/choices.ts'
import { handlers } from '../../src/emulator/handlers/index.ts'
import { ownChoices } from '../../src/emulator/index.ts'

const folder = 'src/emulator'
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
)

describe('the documented design choices', () => {
  it('have a unique id, a subject and a decision', () => {
    expect(ownChoices.length).toBeGreaterThan(40)
    expect(new Set(ownChoices.map(({ about }) => about)).size).toBe(ownChoices.length)
    for (const { id, about, choice } of ownChoices) {
      expect(id).toMatch(/^[a-z][A-Za-z]+$/)
      expect(about.length * choice.length).toBeGreaterThan(0)
      expect(`${about}${choice}`).not.toMatch(/\.$/)
    }
  })
})

describe('the value of a choice', () => {
  it('is read by a handler', () => {
    const text = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
    const unread = Object.entries(chosen)
      .filter(([name, choice]) => 'value' in choice && !text.includes(`${name}.value`))
      .map(([name]) => name)
    expect(unread).toEqual([])
  })
})

describe('the gaps of the specification', () => {
  // Each gap of the specification, and the choice that covers it.
  it.each([
    ['values of compactionModel', 'settingValues'],
    ['item types other than text', 'contentTypes'],
    ['enumerations of message fields', 'messageValues'],
    ['the second variant of computerSource', 'computerSource'],
    ['fields of wiki runs', 'wikiRun'],
    ['fields of CI repositories', 'repositories'],
    ['fields of CI scan results', 'scan'],
    ['fields of by_model and by_user', 'breakdowns'],
    ['session transitions', 'sessionTransitions'],
    ['computer transitions', 'computerTransitions'],
    ['states of a wiki run', 'wikiStates'],
    ['privacy levels of a wiki run', 'wikiPrivacy'],
    ['unit of expiresAt', 'expiryUnit'],
    ['minimum of the limit of a user', 'userLimitMinimum'],
    ['how the email of a removal is supplied', 'emailPlace'],
    ['required fields of an added message', 'messageFields'],
    ['how adding a message waits', 'waiting'],
    ['query parameter names of the history', 'messageQuery'],
    ['parameters of the wiki search', 'wikiSearch'],
    ['grouped rows of tokens', 'groupedTokens'],
    ['paging fields of users', 'userPageFields'],
    ['malformed dates', 'malformedDate'],
    ['an end date before the start', 'reversedRange'],
    ['roles of the organization endpoints', 'organizationRole'],
    ['roles of the other endpoints', 'otherRoles'],
    ['permissions of service account keys', 'serviceAccountRole'],
    ['how a JWT is obtained', 'jwt'],
    ['condition of 403 of rotate', 'rotateRole'],
    ['condition of 409 of rotate', 'rotateConflict'],
    ['values of title', 'errorTitle'],
    ['contents of metadata', 'errorMetadata'],
    ['rate limits', 'rateLimit'],
    ['size limits', 'bodySize'],
    ['the longest range of dates', 'longRange'],
  ])('%s: covered by the choice %s', (_, id) => {
    expect(ownChoices.map((choice) => choice.id)).toContain(id)
  })
})

describe('the emulator', () => {
  it('has a handler for every endpoint and no others', () => {
    expect([...handlers.keys()]).toEqual(listEndpoints(everything).map(({ id }) => id))
  })

  it('imports only the endpoint table and shared modules', () => {
    for (const name of sources) {
      const text = readFileSync(join(folder, name), 'utf8')
      for (const [, from = ''] of text.matchAll(/from '(\.\.[^']*)'/g)) {
        const target = join(folder, name, '..', from)
        expect(target, name).toMatch(
          /^src\/(emulator\/|api\/endpoints\/|api\/(operation|transport|transports\/undici)\.ts$|is-object\.ts$|api\/reference\/openapi\.ts$|text\/(loopback|suggest|zod-issue)\.ts$|fs\/durable\.ts$)/,
        )
      }
    }
  })
})
