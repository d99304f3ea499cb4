import { startService, text, type Value } from './dbus-service.ts'
import type { BusMessage } from './desktop-monitor.ts'

interface Banner {
  id: number
  title: string
  body: string
  urgency: number
}

const LOW = 0
const CRITICAL = 2

/**
 * Simulates how GNOME Shell 43.9 shows notifications: one at a time, critical ones first, and none of low urgency. After
 * the shown one is withdrawn, it shows none until another one arrives. While do-not-disturb is on, it shows only critical
 * ones.
 */
export async function startGnomeShell(busAddress: string) {
  const waiting: Banner[] = []
  const shownTitles: string[] = []
  let banner: Banner | undefined
  let lastId = 0
  let isQuiet = false

  const notify = ([, replaces, , title, body, , hints]: unknown[]): number => {
    const urgency = Number(new Map(hints as [string, unknown][]).get('urgency'))
    const known = [banner, ...waiting].find((one) => one?.id === replaces)
    if (!known) lastId += 1
    const next = Object.assign(known ?? { id: lastId }, {
      title: String(title),
      body: String(body),
      urgency,
    })
    if (known || urgency === LOW || (isQuiet && urgency < CRITICAL)) return next.id
    waiting.push(next)
    waiting.sort((one, other) => other.urgency - one.urgency)
    if (!banner) {
      banner = waiting.shift()
      shownTitles.push(banner?.title ?? '')
    }
    return next.id
  }
  const close = ([id]: unknown[]) => {
    if (banner?.id === id) banner = undefined
    waiting.splice(0, waiting.length, ...waiting.filter((one) => one.id !== id))
  }
  const answerTo = ({ member, args }: BusMessage): Value[] => {
    if (member === 'GetServerInformation') return ['gnome-shell', 'GNOME', '43.9', '1.2'].map(text)
    if (member === 'GetCapabilities') return [{ type: 'as', value: ['body', 'body-markup'] }]
    if (member === 'Notify') return [{ type: 'u', value: notify(args) }]
    if (member === 'CloseNotification') close(args)
    return []
  }
  const stop = await startService(busAddress, 'org.freedesktop.Notifications', answerTo)
  return {
    /** The notification on the screen; undefined for none. */
    banner: () => banner,
    /** The titles of all notifications that were ever on the screen, in order. */
    shownTitles,
    doNotDisturb() {
      isQuiet = true
    },
    stop,
  }
}
