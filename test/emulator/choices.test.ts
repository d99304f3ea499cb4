import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listEndpoints } from '../../src/api/endpoints/index.ts'
import { handlers } from '../../src/emulator/handlers/index.ts'
import { ownChoices } from '../../src/emulator/index.ts'

const folder = 'src/emulator'
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
)

describe('the own choices', () => {
  it('say what is open and what the emulator does', () => {
    expect(ownChoices.length).toBeGreaterThan(40)
    expect(new Set(ownChoices.map(({ about }) => about)).size).toBe(ownChoices.length)
    for (const { id, about, choice } of ownChoices) {
      expect(id).toMatch(/^[a-z][A-Za-z]+$/)
      expect(about.length * choice.length).toBeGreaterThan(0)
      expect(`${about}${choice}`).not.toMatch(/\.$/)
    }
  })
})

describe('the emulator', () => {
  it('has a handler for every endpoint, and no others', () => {
    expect([...handlers.keys()]).toEqual(listEndpoints().map(({ id }) => id))
  })

  it('imports nothing of the library but the endpoint table', () => {
    for (const name of sources) {
      const text = readFileSync(join(folder, name), 'utf8')
      for (const [, from = ''] of text.matchAll(/from '(\.\.[^']*)'/g)) {
        const target = join(folder, name, '..', from)
        expect(target, name).toMatch(
          /^src\/(emulator\/|api\/endpoints\/index\.ts$|api\/schemas\/|api\/endpoints\/endpoint\.ts$|api\/core\/operation\.ts$)/,
        )
      }
    }
  })
})
