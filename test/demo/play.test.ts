import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { makeHome, root } from '../support/home.ts'

describe('demo', () => {
  it('runs every scene through the registered command without output', async () => {
    const home = await makeHome()
    const { stdout, exitCode } = await home.run('demo', '--json')
    const { acts, command } = JSON.parse(stdout)
    expect(exitCode).toBe(0)
    expect(command).toMatch(/hookbell-hook' --client droid; trap - 0; } >\/dev\/null 2>&1 \|\| :$/)
    expect(
      acts.map(({ event, kind, outcome, exitCode, output }: Record<string, unknown>) =>
        [event, kind, outcome, exitCode, output].join(' ').trim(),
      ),
    ).toEqual([
      // Without a desktop, only the audit file receives it. A file does not count as reaching a person.
      'Notification permission undelivered 0',
      'Notification waiting delivered 0',
      'SubagentStop subagent-done suppressed 0',
      'Stop done delivered 0',
      'SessionEnd ended suppressed 0',
      'SessionEnd abnormal-end delivered 0',
    ])
    const { team, mail, audit } = acts[5].received
    expect(team).toContain('Droid · api-server: session ended abnormally')
    expect(mail).toContain('Subject: Droid · api-server: session ended abnormally')
    expect(JSON.parse(audit)).toMatchObject({ kind: 'abnormal-end', client: 'droid' })
    expect(JSON.parse(acts[3].received.audit).title).toBe('Droid · api-server: done in 4 min')
    expect(acts[2].reason).toBe('no route for subagent-done')
  })

  it.each([
    ['while init runs', '.factory'],
    ['between two scenes', '.local/state/hookbell/journal.jsonl'],
  ])('leaves nothing behind after Ctrl+C %s', async (_, sign) => {
    const home = await makeHome()
    const folders = () => readdirSync(tmpdir).filter((name) => name.startsWith('hookbell-demo-'))
    const tmpdir = join(home.home, 'tmp')
    mkdirSync(tmpdir)
    const env = { ...home.env, TMPDIR: tmpdir }
    const options = { env, extendEnv: false, reject: false } as const
    const demo = execa(process.execPath, [join(root, 'bin/hookbell'), 'demo'], options)
    const isRunning = () => folders().some((name) => existsSync(join(tmpdir, name, sign)))
    await expect.poll(isRunning).toBe(true)
    demo.kill('SIGINT')
    expect(await demo).toMatchObject({ exitCode: 130, stderr: 'x stopped: nothing was changed' })
    expect(folders()).toEqual([])
  })

  it('prints plain text into a pipe', async () => {
    const home = await makeHome()
    const { stdout } = await home.run('demo')
    expect(stdout).not.toContain('\u001b')
    expect(stdout).toContain('The agent waited')
  })
})
