import { describe, expect, it } from 'vitest'
import { descriptions, findCommand } from '../../src/commands/index.ts'

describe('commands: index', () => {
  it.each(descriptions)(
    '%s has the description of the list in its own help',
    async (name, text) => {
      const { meta } = await findCommand(name, [])
      const own = Object(meta) as { name: string; description: string }
      expect({ name: own.name, description: own.description.split('\n')[0] }).toEqual({
        name,
        description: text,
      })
    },
  )

  it('one endpoint of the API describes itself', async () => {
    const { meta } = await findCommand('api', ['computers.get'])
    expect(meta).toMatchObject({ name: 'api computers.get' })
  })

  it.each([
    ['stauts', 'Did you mean "status"?'],
    ['lgo', 'Did you mean "log"?'],
    ['mesages', 'Did you mean "messages"?'],
    [
      'frobnicate',
      expect.stringMatching(/^Commands: init, clients, doctor, uninstall, test, preview, status, /),
    ],
    ['constructor', expect.stringMatching(/^Commands: /)],
  ])('the unknown command %s gets a hint', async (name, hint) => {
    await expect(findCommand(name, [])).rejects.toMatchObject({
      code: 'E_USAGE',
      message: `unknown command "${name}"`,
      hint,
    })
  })
})
