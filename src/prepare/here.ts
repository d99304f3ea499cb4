import type { Conditions } from '../config/schema/route.ts'
import type { AgentEvent } from '../event/event.ts'
import { sessionBus } from '../fs/session-bus.ts'
import { callBus } from '../notifiers/desktop/bus.ts'
import { isOverSsh } from '../route/conditions.ts'
import { typedAt } from './at-terminal.ts'

/** A person who pressed a key so recently has not left. The terminal tells it to eight seconds. */
const TYPED_MS = 120_000
/** For all questions to the desktop: one that hangs must not hold up an event. */
const BUS_LIMIT_MS = 2000

/** What can say whether the screen is locked or dark: Plasma and others, GNOME. */
const screenSavers = [
  { to: 'org.freedesktop.ScreenSaver', path: '/org/freedesktop/ScreenSaver' },
  { to: 'org.gnome.ScreenSaver', path: '/org/gnome/ScreenSaver' },
]

interface Conditional {
  when?: Conditions | undefined
  not?: Conditions | undefined
}

/** Whether a route or a project asks for it: otherwise nobody looks. */
export function dependsOnPresence(all: readonly Conditional[]): boolean {
  return all
    .flatMap(({ when, not }) => [when, not])
    .some((one) => one?.here !== undefined || one?.away !== undefined)
}

/** Whether a person is at this machine, as far as that can be seen; undefined if it cannot. */
export async function findHere(
  { env }: Pick<AgentEvent, 'env'>,
  isAway: boolean,
  now = Date.now(),
): Promise<boolean | undefined> {
  if (isAway || (await isScreenOff(env))) return false
  // Who types over SSH is at another machine.
  const at = isOverSsh({ env }) ? undefined : await typedAt(env)
  return at !== undefined && now - at < TYPED_MS ? true : undefined
}

/** Only the bus that `sessionBus` finds is asked, because a repository can name another one. */
async function isScreenOff(env: AgentEvent['env']): Promise<boolean> {
  const bus = await sessionBus(env)
  if ('why' in bus) return false
  const busEnv = { DBUS_SESSION_BUS_ADDRESS: bus.address }
  const signal = AbortSignal.timeout(BUS_LIMIT_MS)
  const isTrue = async (call: Parameters<typeof callBus>[0]) =>
    /\btrue\b/.test((await callBus(call, busEnv, signal))?.text ?? '')
  const daemon = { to: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' }
  const answers = await Promise.all(
    screenSavers.map(async (one) => {
      const name = { type: 'string', text: one.to } as const
      // Checked first, because a call to a service that does not run would start it.
      const isThere = await isTrue({ ...daemon, method: 'NameHasOwner', value: name })
      return isThere && (await isTrue({ ...one, method: 'GetActive' }))
    }),
  )
  return answers.includes(true)
}
