import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished } from 'vitest'
import { makeFolder } from './folder.ts'
import { deviceOf, hasPty, startPty } from './pty.ts'

/** Empty if tmux can be tested here; otherwise the end of a title, which says why the tests are skipped. */
export const noTmux = hasPty && existsSync('/usr/bin/tmux') ? '' : ' (skipped: tmux not installed)'

/** Starts tmux with one pane in a real terminal. Stopped at the end of the test. */
export async function startTmux(settings: string[] = []) {
  const folder = await makeFolder()
  const socket = join(folder, 'socket')
  const tmux = async (...args: string[]) =>
    (await execa('tmux', ['-S', socket, ...args], { stripFinalNewline: false })).stdout
  await writeFile(join(folder, 'conf'), settings.map((line) => `${line}\n`).join(''))
  const command = `tmux -S '${socket}' -f '${folder}/conf' new-session 'stty -echo; exec sleep 1000'`
  const pty = await startPty({ command })
  onTestFinished(() =>
    tmux('kill-server')
      .then(() => rm(socket, { force: true }))
      .catch(() => {}),
  )
  // Once a client is attached, tmux knows its terminal.
  await expect.poll(() => tmux('display', '-p', '#{session_attached}').catch(String)).toBe('1\n')
  const path = (await tmux('display', '-p', '-t', '%0', '#{pane_tty}')).trim()
  const names = { TERM: 'tmux-256color', TERM_PROGRAM: 'tmux' }
  const facts = { TMUX: `${socket},1,0`, HOOKBELL_TTY: deviceOf(path), ...names }
  return { pty, tmux, facts, path, folder }
}
