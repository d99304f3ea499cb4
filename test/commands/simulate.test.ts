import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeHome } from '../support/home.ts'
import { loadSequences } from '../support/sequence.ts'

const config = {
  channels: { audit: { type: 'file', path: '~/audit.jsonl', noise: true } },
  lingerSeconds: 0,
}

/** A home in which a real worker has processed a recorded sequence that ended an hour ago. */
async function makeJudgedHome(name: string) {
  const home = await makeHome(config)
  const { lines = [] } = loadSequences().find((one) => one.name === name) ?? {}
  const last = lines.at(-1)?.at ?? 0
  for (const { at, client, payload } of lines) {
    const id = home.accept(payload, client)
    const time = new Date(Date.now() - 3600_000 - last + at)
    utimesSync(join(home.state, 'spool/new', id), time, time)
  }
  await home.run('worker', '--once')
  const tryOut = async (settings: object, ...words: string[]) => {
    const path = join(home.home, 'other.json')
    writeFileSync(path, JSON.stringify({ ...config, ...settings }))
    return await home.run('simulate', '--config', path, ...words)
  }
  return { home, tryOut, count: lines.length }
}

describe('hookbell simulate', () => {
  it.each(['afternoon-of-three-sessions', 'permission-burst', 'failure-with-limit'])(
    'finds no difference to the worker with the same configuration: %s',
    async (name) => {
      const { home, count } = await makeJudgedHome(name)
      const { stdout } = await home.run('simulate', '--json')
      const { events, channels, changes } = JSON.parse(stdout)
      expect(events).toBe(count)
      expect(changes).toEqual([])
      expect(channels.audit.before).toBeGreaterThan(0)
      expect(channels.audit.after).toBe(channels.audit.before)
    },
  )

  it('shows the changes of another configuration and exits with 1 for a missed question', async () => {
    const { tryOut } = await makeJudgedHome('afternoon-of-three-sessions')
    const channels = { desk: { type: 'desktop' }, team: { type: 'slack', url: '${NOT_SET}' } }
    const all = await tryOut({ channels, noise: { off: ['short-turns'], burstSeconds: 0 } })
    expect(all.stdout).toMatch(/^ {2}audit +\d+ +0 +-\d+ \(-100 %\)$/m)
    expect(all.stdout).toMatch(/^ {2}team +0 +\d+ +\+\d+$/m)
    expect(all.stdout).toMatch(/^ok no question of \d+ is missed/m)
    expect(all.exitCode).toBe(0)
    const none = await tryOut({ channels, routes: [{ on: ['done'], to: ['desk'] }] })
    expect(none.stdout).toMatch(/^x (\d+) of \1 questions missed/m)
    expect(none.stdout).toContain('permission needed: no route to a channel')
    expect(none.stdout).toContain('Most messages')
    expect(none.exitCode).toBe(1)
    const json = await tryOut({ channels }, '--json', '--since', '30m')
    expect(JSON.parse(json.stdout)).toMatchObject({ events: 0, missed: [] })
  })

  it.each([
    [['--config', 'nowhere.json'], 64, 'no file "nowhere.json"', "Make one from yours: cp '"],
    [['--config', 'broken.json'], 78, 'broken.json:1:3: chanels', 'Did you mean "channels"?'],
    [['--since', 'soon'], 64, '--since takes a duration', 'Such as: --since 2h'],
  ])('%j exits with a hint', async (words, code, message, hint) => {
    const home = await makeHome(config)
    writeFileSync(join(home.project, 'broken.json'), '{ "chanels": { } }')
    const { exitCode, stderr } = await home.run('simulate', ...words)
    expect({ exitCode, stderr }).toMatchObject({ exitCode: code })
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })

  it('offers no copy of a configuration that does not exist', async () => {
    const home = await makeHome()
    const { stderr } = await home.run('simulate', '--config', 'nowhere.json')
    expect(stderr).toMatch(/Write one like your own, which would be .*config\.json$/)
  })
})
