import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeHome } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'

/** A home that sends all kinds to a receiver. */
async function makeTeamHome() {
  const { url, received } = await startReceiver()
  const home = await makeHome()
  const channels = { team: { type: 'webhook', url: `${url}/hook` } }
  const routes = [{ on: ['*'], to: ['team'] }]
  await home.writeConfig(JSON.stringify({ channels, routes, lingerSeconds: 0 }))
  const sent = () => received.map(({ body }) => (JSON.parse(body) as { data: object }).data)
  return { home, sent }
}

describe('cli: notify', () => {
  it.each([
    ['done', 'normal'],
    ['waiting', 'normal'],
    ['failed', 'critical'],
  ])(
    'sends a message of the kind %s to the channels that its route names',
    async (kind, urgency) => {
      const { home, sent } = await makeTeamHome()
      const { stdout, exitCode } = await home.run(
        'notify',
        '--kind',
        kind,
        'Backup: 3 files <left>',
      )
      expect(stdout).toMatch(/^ok accepted; see: hookbell why \S+$/)
      expect(exitCode).toBe(0)
      const message = { kind, urgency, project: 'api-server', body: 'Backup: 3 files <left>' }
      await expect.poll(sent).toMatchObject([message])
    },
  )

  it('reports a result without --kind, also when it repeats the last message', async () => {
    const { home, sent } = await makeTeamHome()
    for (let time = 0; time < 2; time += 1) await home.run('notify', 'The tests are green')
    await expect.poll(sent).toMatchObject([{ kind: 'done' }, { kind: 'done' }])
  })

  it('sends the text from stdin, or the beginning of a long one', async () => {
    const { home, sent } = await makeTeamHome()
    await home.runWith(`first\n${'more '.repeat(100_000)}`, 'notify', '--kind', 'waiting', '-')
    await expect.poll(sent).toMatchObject([{ body: expect.stringMatching(/^first\nmore/) }])
  })

  it('keeps the message while all is on hold, and says so', async () => {
    const { home, sent } = await makeTeamHome()
    await home.run('hold')
    expect((await home.run('notify', 'Later')).stdout).toContain('accepted, and all is on hold')
    await home.run('resume')
    // Polled, because the worker that `notify` started may send the message instead of `resume`.
    await expect.poll(sent).toMatchObject([{ body: 'Later' }])
  })

  it('prints the id with --json, so that other commands can find the message', async () => {
    const { home } = await makeTeamHome()
    await home.run('hold')
    const { id } = JSON.parse((await home.run('notify', 'Found', '--json')).stdout)
    expect((await home.run('log', id)).exitCode).toBe(0)
  })

  it.each([
    [['notify', ''], 'x notify: the text is empty'],
    [['notify', 'x', '--kind', 'fail'], 'Did you mean "failed"?'],
  ])('refuses %j', async (words, text) => {
    const { home } = await makeTeamHome()
    const { stderr, exitCode } = await home.run(...words)
    expect(stderr).toContain(text)
    expect(exitCode).toBe(64)
  })

  it('fails with a hint when neither folder can take the message', async () => {
    const { home } = await makeTeamHome()
    const fallback = join(home.home, 'beside')
    Object.assign(home.env, { HOOKBELL_FALLBACK_DIR: fallback })
    for (const folder of [home.state, fallback]) {
      mkdirSync(folder, { mode: 0o700 })
      writeFileSync(join(folder, 'spool'), 'a file in the place of the folder')
    }
    const { stderr, exitCode } = await home.run('notify', 'Lost')
    expect(stderr).toContain('cannot take the message')
    expect(stderr).toContain('hookbell doctor')
    expect(exitCode).toBe(73)
  })
})
