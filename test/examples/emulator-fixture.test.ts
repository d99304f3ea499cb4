import { expect } from 'vitest'
import { test } from '../../examples/emulator-fixture.ts'

for (const time of ['first', 'second'])
  test(`gives the ${time} test its own emulator`, async ({ client }) => {
    expect(await client.organization.limits.getGlobal()).toEqual({ limit: null })
    await client.organization.limits.setGlobal({ limit: 2_000_000 })
    expect(await client.organization.limits.getGlobal()).toEqual({ limit: 2_000_000 })
  })
