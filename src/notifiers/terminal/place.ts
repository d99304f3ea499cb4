import { DeliveryError, type SendContext } from '../define.ts'
import type { Multiplexer } from './sequence.ts'

/** The terminal of a session. */
export interface Place {
  path: string
  /** `nested`: one in the other, which let only a bell through. */
  through: Multiplexer | 'nested'
  /** The names of the terminal, which determine what it can show. */
  names: string[]
}

type Facts = SendContext['sessionEnv']

/**
 * Finds the terminal that the user of a session looks at. A repository can set variables for its agent, so none of them
 * names what is opened or asked, such as a tmux server: a client of tmux runs what its server says.
 * @throws DeliveryError where there is none
 */
export function findPlace(facts: Facts): Place {
  const path = ttyName(facts.HOOKBELL_TTY) ?? sshTerminal(facts)
  if (path === undefined) {
    throw new DeliveryError('unavailable', 'terminal: this session has no terminal that is known', {
      hint: 'Expected in editors, in containers and for agents without a person',
    })
  }
  const names = [facts.TERM_PROGRAM, facts.LC_TERMINAL, facts.TERM]
  return { path, through: multiplexerOf(facts), names: names.filter((name) => name !== undefined) }
}

/** The path of the terminal with a device number, as the front door reads it from /proc; undefined for none. */
export function ttyName(tty = ''): string | undefined {
  if (!/^\d{1,10}$/.test(tty)) return undefined
  const number = Number(tty)
  const major = (number >>> 8) & 0xfff
  const minor = (number & 0xff) | ((number >>> 12) & 0xfff00)
  if (major === 136) return `/dev/pts/${minor}`
  if (major !== 4 || minor === 0) return undefined
  return minor < 64 ? `/dev/tty${minor}` : `/dev/ttyS${minor - 64}`
}

/**
 * For systems without /proc, such as macOS. Only a pseudo-terminal: to open another device may have an effect. In GNU
 * screen and tmux it is the terminal around them, not that of the agent.
 */
function sshTerminal({ TMUX, STY, SSH_TTY = '' }: Facts): string | undefined {
  return !TMUX && !STY && /^\/dev\/(?:pts\/|ttys)\d+$/.test(SSH_TTY) ? SSH_TTY : undefined
}

/** Programs that were started in a multiplexer, such as an editor, inherit its variables, but have a TERM of their own. */
function multiplexerOf({ TMUX, STY, TERM = '' }: Facts): Place['through'] {
  if (!/^(?:screen|tmux)/.test(TERM)) return 'none'
  if (TMUX && STY) return 'nested'
  if (TMUX) return 'tmux'
  return STY ? 'screen' : 'none'
}
