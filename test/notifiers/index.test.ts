import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Notifier } from '../../src/notifiers/define.ts'
import { notifiers } from '../../src/notifiers/index.ts'

const folder = new URL('../../src/notifiers/', import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
)
const helpers = ['define.ts', 'index.ts']

describe('notifiers: the registry', () => {
  it('contains each notifier of the folder under its file name, sorted', () => {
    const names = files
      .filter((name) => /^[a-z-]+\.ts$/.test(name) && !helpers.includes(name))
      .map((name) => name.replace('.ts', ''))
    expect(Object.keys(notifiers)).toEqual(names.sort())
    expect(Object.values(notifiers).map(({ name }) => name)).toEqual(names)
  })

  it.each(Object.values(notifiers))(
    '$name has options with a JSON Schema for editors',
    ({ options }) => {
      expect(z.toJSONSchema(options, { io: 'input' })).toMatchObject({
        additionalProperties: false,
      })
    },
  )

  // A hub has a document of its own, and checks of its own in doctor.
  const others: Notifier[] = Object.values(notifiers).filter(({ name }) => name !== 'hub')

  it.each(others)('$name has a section in docs/notifiers.md', ({ name }) => {
    const page = readFileSync(new URL('../../docs/notifiers.md', import.meta.url), 'utf8')
    expect(page.split('\n')).toContain(`## ${name}`)
  })

  it.each(others)('$name is among the channels of the README', ({ name }) => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    const [channels = ''] = /^Channels: [^.]*\./m.exec(readme) ?? []
    expect(channels.toLowerCase()).toContain(name)
  })

  // What a notifier of the user's own sends to is known only to it.
  it.each(others.filter(({ leavesMachine, name }) => leavesMachine && name !== 'module'))(
    '$name says which option has the server that doctor tries',
    ({ serverOption = '', options }) => {
      expect(Object.keys(options.shape)).toContain(serverOption)
    },
  )

  it('marks the secret options', () => {
    const secrets = Object.values(notifiers).flatMap(({ name, options }) =>
      Object.entries(options.shape)
        .filter(([, option]) => z.globalRegistry.get(option)?.secret)
        .map(([option]) => `${name}.${option}`),
    )
    expect(secrets).toEqual([
      'command.env',
      'discord.url',
      'email.smtp',
      'gotify.token',
      'hub.password',
      'module.options',
      'ntfy.token',
      'slack.url',
      'teams.url',
      'telegram.token',
      'webhook.url',
      'webhook.headers',
      'webhook.signingSecrets',
    ])
  })

  it.each(files)('%s loads no heavy package until it is used', (name) => {
    const source = readFileSync(new URL(name, folder), 'utf8')
    const imports = source.match(/^import (?!type).*/gm) ?? []
    expect(imports.join('\n')).not.toMatch(
      /'(execa|liquidjs|node-notifier|nodemailer|standardwebhooks)'/,
    )
  })
})
