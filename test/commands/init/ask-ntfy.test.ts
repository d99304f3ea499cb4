import { describe, expect, it } from 'vitest'
import { askNtfy, readTopic } from '../../../src/commands/init/ask-ntfy.ts'
import { ntfy } from '../../../src/notifiers/ntfy.ts'
import { FITS, scripted } from './_scripted.ts'

describe('commands: init: ask ntfy', () => {
  it('makes a topic that nobody can guess, and says what to do in the app', async () => {
    const one = scripted('Phone, through ntfy', 'new')
    const other = scripted('Phone, through ntfy', 'new')
    expect(await askNtfy(one.dialog)).toEqual({ topic: '${NTFY_TOPIC}' })
    await askNtfy(other.dialog)
    const topic = one.secrets.get('NTFY_TOPIC') ?? ''
    expect(ntfy.options.parse({ topic })).toMatchObject({ topic })
    expect(topic.length).toBeGreaterThan(20)
    expect(topic).not.toBe(other.secrets.get('NTFY_TOPIC'))
    expect(one.told.join()).toMatch(new RegExp(`subscribe to\\n${topic}\\n`))
    for (const line of [...one.asked, ...one.told.flatMap((text) => text.split('\n'))])
      expect(line.length, line).toBeLessThanOrEqual(FITS)
  })

  it('takes a pasted address', async () => {
    const { dialog, secrets, faults } = scripted('ntfy', 'own', [
      'a b',
      'https://ntfy.example.org/x/my_topic',
    ])
    expect(await askNtfy(dialog)).toEqual({
      server: 'https://ntfy.example.org/x',
      topic: '${NTFY_TOPIC}',
    })
    expect(secrets.get('NTFY_TOPIC')).toBe('my_topic')
    expect(faults).toEqual(['Such as my-topic or https://ntfy.sh/my-topic'])
  })

  it.each([
    ['my-topic', 'https://ntfy.sh'],
    ['https://ntfy.sh/my-topic', 'https://ntfy.sh'],
    ['https://ntfy.sh/my-topic/', 'https://ntfy.sh'],
    ['ntfy.sh/my-topic', 'https://ntfy.sh'],
    ['http://localhost:2586/my-topic', 'http://localhost:2586'],
  ])('reads %s', (text, server) => expect(readTopic(text)).toEqual({ server, topic: 'my-topic' }))

  it.each([
    '',
    'a b',
    'https://ntfy.sh/',
    'http://ntfy.sh/t',
    'https://me:x@ntfy.sh/t',
    'https://ntfy.sh/t?x=1',
    'x'.repeat(65),
  ])('does not take %j', (text) => expect(readTopic(text)).toBeUndefined())
})
