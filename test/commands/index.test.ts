import { describe, expect, it } from 'vitest'
import { descriptions, findCommand } from '../../src/commands/index.ts'

describe('commands: index', () => {
  it.each(descriptions)(
    '%s has the same description in the command list and in its own help',
    async (name, text) => {
      const { meta } = await findCommand(name, [])
      const own = Object(meta) as { name: string; description: string }
      expect({ name: own.name, description: own.description.split('\n')[0] }).toEqual({
        name,
        description: text,
      })
    },
  )

  it('an API endpoint has help of its own', async () => {
    const { meta } = await findCommand('api', ['computers.get'])
    expect(meta).toMatchObject({ name: 'api computers.get' })
  })

  it.each([
    ['stauts', 'Did you mean "status"?'],
    ['lgo', 'Did you mean "log"?'],
    ['mesages', 'Did you mean "messages"?'],
    [
      'frobnicate',
      expect.stringMatching(
        /^Commands: init, clients, doctor, uninstall, test, notify, preview, answer, away, back, sessions, status, /,
      ),
    ],
    ['constructor', expect.stringMatching(/^Commands: /)],
  ])('suggests commands for the unknown command %s', async (name, hint) => {
    await expect(findCommand(name, [])).rejects.toMatchObject({
      code: 'E_USAGE',
      message: `unknown command "${name}"`,
      hint,
    })
  })
})
