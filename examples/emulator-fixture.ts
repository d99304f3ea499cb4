// A vitest fixture: every test that uses `client` gets the client of its own emulator.
//
//   import { expect } from 'vitest'
//   import { test } from './emulator-fixture.ts'
//
//   test('reads the limit', async ({ client }) => {
//     expect(await client.organization.limits.getGlobal()).toEqual({ limit: null })
//   })
import { type Client, createClient } from 'hookbell/api'
import { type Emulator, startEmulator } from 'hookbell/emulator'
import { test as base } from 'vitest'

export const test = base.extend<{ emulator: Emulator; client: Client }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the dependencies of a fixture from the pattern
  emulator: async ({}, use) => {
    await using emulator = await startEmulator({ seed: { agent: { instant: true } } })
    await use(emulator)
  },
  client: async ({ emulator }, use) => {
    await using client = createClient(emulator.clientOptions)
    await use(client)
  },
})
