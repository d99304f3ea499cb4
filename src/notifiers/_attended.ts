import { stat } from 'node:fs/promises'
import type { SendContext } from './define.ts'
import { isTerminalPath, sshTerminal, ttyName } from './terminal/place.ts'
import { formatOf, runTmux } from './terminal/tmux.ts'

/** The maximum age of the last key press where tmux knows whether its window has the focus. */
const WATCHING_MS = 60_000
/** The same where the focus is unknown. At most the default `minSeconds`, so that typing the prompt does not count. */
const TYPING_MS = 15_000

type Facts = SendContext['sessionEnv']

/**
 * Whether a person is at the terminal of a session, as far as tmux or the terminal itself shows it. A terminal shows
 * when somebody typed, not whether somebody looks at it, so the result is most often undefined: unknown.
 */
export async function isAttended(
  facts: Facts,
  signal: AbortSignal,
  now: number = Date.now(),
): Promise<boolean | undefined> {
  const own = ttyName(facts.HOOKBELL_TTY)
  const clients = facts.TMUX && facts.TMUX_PANE ? await clientsOf(facts, own, signal) : undefined
  if (clients) return clients.some((client) => isThere(client, now))
  const path = own ?? sshTerminal(facts)
  return path !== undefined && (await isTypedIn(path, now)) ? true : undefined
}

const FORMAT = ['pane_id', 'pane_tty', 'client_activity', 'client_flags', 'focus-events']

interface Client {
  paneTty: string
  isShown: boolean
  hasFocus: boolean
  knowsFocus: boolean
  typedAt: number
}

/** @returns undefined if the session is not in tmux, or in a program there that has its own terminals */
async function clientsOf(
  facts: Facts,
  own: string | undefined,
  signal: AbortSignal,
): Promise<Client[] | undefined> {
  const lines = await runTmux(facts, ['list-clients', '-F', formatOf(FORMAT)], signal)
  if (lines === undefined) return undefined
  const clients = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => parseClient(line, facts.TMUX_PANE ?? ''))
  const isElsewhere = clients.some(({ isShown, paneTty }) => isShown && own && own !== paneTty)
  return isElsewhere ? undefined : clients
}

/** Parses a line about one terminal attached to tmux: the pane that it shows, its last key press, its focus. */
function parseClient(line: string, pane: string): Client {
  const [id, paneTty = '', activity, flags = '', focusEvents] = line.split('|')
  return {
    paneTty,
    isShown: id === pane,
    hasFocus: flags.split(',').includes('focused'),
    knowsFocus: /^(?:1|on)$/.test(focusEvents ?? ''),
    typedAt: Number(activity) * 1000,
  }
}

function isThere({ isShown, hasFocus, knowsFocus, typedAt }: Client, now: number): boolean {
  if (!isShown || (knowsFocus && !hasFocus)) return false
  return now - typedAt < (knowsFocus ? WATCHING_MS : TYPING_MS)
}

/** By the access time of the terminal: when a program last read from it, accurate to eight seconds. */
async function isTypedIn(path: string, now: number): Promise<boolean> {
  if (!isTerminalPath(path)) return false
  const { uid, atimeMs } = await stat(path)
  return uid === process.getuid?.() && now - atimeMs < TYPING_MS
}
