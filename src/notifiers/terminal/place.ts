import { DeliveryError, type SendContext } from '../define.ts'
import type { Multiplexer } from './sequence.ts'
import { formatOf, runTmux } from './tmux.ts'

/** The terminal of a session. */
export interface Place {
  path: string
  through: Multiplexer
  /** The names of the terminal, which determine what it can show. */
  names: string[]
  /** Why nothing but a bell gets through. */
  onlyBell?: string
}

type Facts = SendContext['sessionEnv']

/**
 * The terminal that the front door found for the session: an absolute path, such as /dev/pts/3, or on Linux the device
 * number, which the front door reads from /proc/PID/stat without starting a process.
 */
const OWN_TTY = 'HOOKBELL_TTY'

/**
 * Finds the terminal that the user of a session looks at. Returns only device paths, whatever the variables say.
 * @throws DeliveryError where there is none
 */
export async function findPlace(facts: Facts, signal: AbortSignal): Promise<Place> {
  const own = ttyName(facts[OWN_TTY])
  const pane = facts.TMUX && facts.TMUX_PANE ? await askTmux(facts, signal) : undefined
  // A program that was started in tmux, such as an editor, may have its own terminals.
  if (pane && (own === undefined || own === pane.path)) return pane
  const path = own ?? sshTerminal(facts)
  if (path === undefined) throw noTerminal()
  return {
    path: checkedName(path),
    through: facts.STY ? 'screen' : 'none',
    names: [facts.TERM_PROGRAM, facts.LC_TERMINAL, facts.TERM].filter((name) => name !== undefined),
  }
}

/** The path of a terminal that is given by path or by number; undefined for none. */
export function ttyName(tty: string | undefined): string | undefined {
  if (!tty || !/^\d{1,10}$/.test(tty)) return tty
  const number = Number(tty)
  const major = (number >>> 8) & 0xfff
  const minor = (number & 0xff) | ((number >>> 12) & 0xfff00)
  if (major === 136) return `/dev/pts/${minor}`
  if (major !== 4 || minor === 0) return undefined
  return minor < 64 ? `/dev/tty${minor}` : `/dev/ttyS${minor - 64}`
}

/** In GNU screen and tmux, SSH_TTY is the terminal around them, not that of the agent. */
export function sshTerminal({ TMUX, STY, SSH_TTY }: Facts): string | undefined {
  return TMUX || STY ? undefined : SSH_TTY
}

/** Whether a path is that of a terminal. */
export function isTerminalPath(path: string): boolean {
  return /^\/dev\/(?:pts\/\d+|tty[\w.]+)$/.test(path)
}

function noTerminal(): DeliveryError {
  return new DeliveryError('unavailable', 'terminal: this session has no terminal that is known', {
    hint: 'Expected in editors, in containers and for agents without a person',
  })
}

function checkedName(path: string): string {
  if (isTerminalPath(path)) return path
  throw noTerminal()
}

const FORMAT = [
  'pane_tty',
  'allow-passthrough',
  'version',
  'window_active',
  'session_attached',
  'client_termname',
  'client_termtype',
]

async function askTmux(facts: Facts, signal: AbortSignal): Promise<Place | undefined> {
  const pane = facts.TMUX_PANE ?? ''
  if (!/^%\d+$/.test(pane)) return undefined
  const line = await runTmux(facts, ['display-message', '-p', '-t', pane, formatOf(FORMAT)], signal)
  return line === undefined ? undefined : parsePane(line)
}

/** Parses what tmux printed about a pane; undefined if the pane is gone. */
export function parsePane(line: string): Place | undefined {
  const [path = '', passthrough, version, active, attached, ...names] = line.trim().split('|')
  if (!path) return undefined
  const visible = active === '1' && Number(attached) > 0
  const onlyBell = whyOnlyBell(passthrough ?? '', version ?? '', visible)
  return { path: checkedName(path), through: 'tmux', names, ...(onlyBell && { onlyBell }) }
}

/** allow-passthrough is 0 or 1, since tmux 3.4 off, on or all. Before 3.3 it did not exist, and everything passed. */
function whyOnlyBell(passthrough: string, version: string, visible: boolean): string | undefined {
  if (passthrough === 'all') return undefined
  if (passthrough === '' && /^(?:[12]\.|3\.[0-2])/.test(version)) return undefined
  if (!/^(?:1|on)$/.test(passthrough)) return 'allow-passthrough is off in tmux'
  return visible ? undefined : 'its tmux window is not shown'
}
