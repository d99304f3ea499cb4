import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { opencode } from '../../src/clients/opencode.ts'
import { pluginText } from '../../src/install/plugin.ts'
import { makeFolder } from '../support/folder.ts'

describe('the plug-in for opencode', () => {
  it('passes on the prompt, the question and the last answer of the agent', async () => {
    const { event, prompt, received } = await startPlugin()
    await event('session.created', { sessionID: 's1', info: { id: 's1' } })
    await prompt('s1', 'm1', [{ type: 'text', text: 'Add a total' }, { type: 'file' }])
    await event('message.part.updated', { part: textPart('s1', 'm1', 'Add a total') })
    await event('message.part.updated', { part: textPart('s1', 'm2', 'I look') })
    await event('question.asked', { sessionID: 's1', id: 'q1', questions: [] })
    await event('message.part.updated', { part: textPart('s1', 'm3', 'It has a total.') })
    // Kilo adds such a text: "Initializing snapshot…".
    const notice = { ...textPart('s1', 'm4', 'Wait…'), synthetic: true }
    await event('message.part.updated', { part: notice })
    await event('session.idle', { sessionID: 's1' })
    expect(await received(4)).toEqual([
      { hook_event_name: 'chat.message', cwd: '/shop', sessionID: 's1', prompt: 'Add a total' },
      { hook_event_name: 'question.asked', cwd: '/shop', sessionID: 's1', id: 'q1', questions: [] },
      expect.objectContaining({ hook_event_name: 'session.created' }),
      {
        ...{ hook_event_name: 'session.idle', cwd: '/shop', sessionID: 's1' },
        last_assistant_message: 'It has a total.',
      },
    ])
  })

  it('omits the answer of an earlier turn, and a prompt that no person wrote', async () => {
    const { event, prompt, received } = await startPlugin()
    await prompt('s1', 'm1', [{ type: 'text', text: 'The task is over', synthetic: true }])
    await event('message.part.updated', { part: textPart('s1', 'm2', 'It is over.') })
    await prompt('s1', 'm3', [{ type: 'text', text: 'Stop' }])
    await event('message.part.updated', { part: textPart('s1', 'm3', 'Stop') })
    await event('session.idle', { sessionID: 's1' })
    expect(await received(3)).toEqual([
      { hook_event_name: 'chat.message', cwd: '/shop', sessionID: 's1', prompt: 'Stop' },
      { hook_event_name: 'chat.message', cwd: '/shop', sessionID: 's1', synthetic: true },
      { hook_event_name: 'session.idle', cwd: '/shop', sessionID: 's1' },
    ])
  })

  it('names the session of a sub-agent in its prompt, question and end', async () => {
    const { event, prompt, received } = await startPlugin()
    await event('session.updated', { info: { id: 's2', parentID: 's1' } })
    await prompt('s2', 'm1', [{ type: 'text', text: 'Look' }])
    await event('question.asked', { sessionID: 's2', questions: [] })
    await event('session.idle', { sessionID: 's2' })
    expect(await received(3)).toEqual(
      [1, 2, 3].map(() => expect.objectContaining({ parentID: 's1' })),
    )
  })

  it('does not take the parent of a message for the parent of a session', async () => {
    const { event, received } = await startPlugin()
    await event('message.updated', { info: { id: 'm2', parentID: 'm1', sessionID: 's1' } })
    await event('session.idle', { sessionID: 'm2' })
    expect(await received(1)).toEqual([expect.not.objectContaining({ parentID: 'm1' })])
  })

  it('does not pass on a second end of a turn, which might arrive before the error', async () => {
    const { event, prompt, received } = await startPlugin()
    await event('session.error', { sessionID: 's1', error: { name: 'APIError' } })
    await event('session.idle', { sessionID: 's1' })
    await event('session.idle', { sessionID: 's2' })
    await event('session.idle', { sessionID: 's2' })
    await prompt('s2', 'm1', [{ type: 'text', text: 'Go on' }])
    await event('session.idle', { sessionID: 's2' })
    const names = (await received(4)).map(({ hook_event_name, sessionID }) => [
      hook_event_name,
      sessionID,
    ])
    expect(names).toEqual([
      ['chat.message', 's2'],
      ['session.error', 's1'],
      ['session.idle', 's2'],
      ['session.idle', 's2'],
    ])
  })

  it('passes on the end of a turn that failed, if errors are not registered', async () => {
    const { event, received } = await startPlugin(['session.idle'])
    await event('session.error', { sessionID: 's1', error: { name: 'APIError' } })
    await event('session.idle', { sessionID: 's1' })
    expect(await received(1)).toEqual([
      expect.objectContaining({ hook_event_name: 'session.idle' }),
    ])
  })

  it('marks the end of a turn in which a person refused a tool', async () => {
    const { event, received } = await startPlugin()
    const now = vi.spyOn(Date, 'now')
    onTestFinished(() => now.mockRestore())
    const refuse = async (sessionID: string, afterMs: number) => {
      await event('permission.asked', { sessionID, id: `of-${sessionID}` })
      now.mockReturnValue(Date.now() + afterMs)
      await event('permission.replied', { sessionID, reply: 'reject' })
      await event('message.part.updated', { part: { type: 'tool', sessionID } })
    }
    await refuse('s1', 3000)
    // The agent goes on after a refusal with words, and after one of a sub-agent.
    await refuse('s2', 3000)
    await event('message.part.updated', { part: { type: 'step-start', sessionID: 's2' } })
    // After 20 ms: the client refused it itself, because it has no terminal.
    await refuse('s3', 20)
    for (const sessionID of ['s1', 's2', 's3']) await event('session.idle', { sessionID })
    const ends = (await received(9)).filter(({ hook_event_name: one }) => one === 'session.idle')
    expect(ends).toEqual([
      expect.objectContaining({ refused: true, sessionID: 's1' }),
      { hook_event_name: 'session.idle', cwd: '/shop', sessionID: 's2' },
      { hook_event_name: 'session.idle', cwd: '/shop', sessionID: 's3' },
    ])
  })

  it('throws no error into opencode if an event lacks fields', async () => {
    const { event, hooks } = await startPlugin()
    await hooks['chat.message']({}, {})
    await event('message.part.updated', undefined)
    await event('session.idle', undefined)
  })
})

const textPart = (sessionID: string, messageID: string, text: string) => ({
  ...{ type: 'text', sessionID, messageID, text },
})

/** Loads the plug-in into this process, with a front door that stores what it receives. */
async function startPlugin(events: readonly string[] = opencode.events) {
  const folder = await makeFolder()
  const inbox = join(folder, 'inbox')
  mkdirSync(inbox)
  const door = join(folder, 'door')
  writeFileSync(door, `#!/bin/sh\ncat > "${inbox}/.$$" && mv "${inbox}/.$$" "${inbox}/$$"\n`)
  chmodSync(door, 0o755)
  const file = join(folder, 'hookbell.mjs')
  writeFileSync(file, pluginText(opencode, events, [door]))
  const { Hookbell } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  const hooks = await Hookbell({ directory: '/shop' })
  const read = () =>
    readdirSync(inbox)
      .filter((name) => !name.startsWith('.'))
      .map((name) => readFileSync(join(inbox, name), 'utf8'))
  return {
    hooks,
    event: (type: string, properties: unknown) => hooks.event({ event: { type, properties } }),
    prompt: (sessionID: string, id: string, parts: object[]) =>
      hooks['chat.message']({ sessionID }, { message: { id, sessionID }, parts }),
    /** Sorted, because the front doors of several events may end in any order. */
    received: async (count: number) => {
      await expect.poll(() => read().length).toBe(count)
      return read()
        .sort()
        .map((text) => JSON.parse(text))
    },
  }
}
