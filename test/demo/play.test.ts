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
      'Notification waiting delivered 0',
      'SubagentStop subagent-done suppressed 0',
      'Stop done delivered 0',
      'Notification permission delivered 0',
      'UserPromptSubmit other suppressed 0',
      'SessionEnd ended suppressed 0',
      'SessionEnd abnormal-end delivered 0',
    ])
    expect(acts[3].received.phone).toContain('Droid · api-server: permission needed')
    expect(acts[4].received).toEqual({ phone: 'the question is taken off its screen' })
    expect(acts[6].attempts.team).toBeGreaterThan(1)
    const { team, mail, audit } = acts[6].received
    expect(team).toContain('Droid · api-server: session ended abnormally')
    expect(team).not.toMatch(/<!date|&amp;/)
    expect(mail).toContain('Subject: Droid · api-server: session ended abnormally')
    expect(JSON.parse(audit)).toMatchObject({ kind: 'abnormal-end', client: 'droid' })
    expect(JSON.parse(acts[2].received.audit).title).toBe('Droid · api-server: done in 4 min')
    expect(acts[1].reason).toBe('no route for subagent-done')
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
    // There is no desktop in this home, which is no fault.
    expect(stdout).not.toMatch(/unavailable|undelivered|dead/)
    expect(stdout).toContain('down at first: delivered by attempt')
  })
})
