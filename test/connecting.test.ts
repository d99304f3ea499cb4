import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { lookupHost, trusting } from '../src/connecting.ts'

const lookup: (name: string, options: object) => Promise<unknown> = promisify(lookupHost)

it.each(['localhost', 'bell.localhost'])(
  '%s is this machine, whatever a name server says',
  async (name) => {
    expect(await lookup(name, {})).toBe('127.0.0.1')
    expect(await lookup(name, { all: true })).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ])
  },
)

it('other names are looked up by the system', async () => {
  await expect(lookup('bell.invalid', {})).rejects.toThrow('bell.invalid')
})

it('a missing file of certificate authorities does not prevent a connection', () => {
  expect(trusting('/nowhere/ca.pem')).toEqual({})
})
