import { existsSync } from 'node:fs'
import { sessionBus } from '../fs/session-bus.ts'
import { type Check, check, type Facts } from './check.ts'

/** Checks what on this machine decides whether messages can be shown: the desktop bus, the platform and the clock. */
export async function checkSystem({ env, loaded, events, now }: Facts): Promise<Check[]> {
  const hasDesktop = Object.values(loaded.config.channels).some(({ type }) => type === 'desktop')
  const desktop = desktopOf(env)
  const bus = await sessionBus(env)
  const future = events.some(({ acceptedAt }) => acceptedAt > now + 60_000)
  const traits = [
    env.SSH_CONNECTION && 'SSH',
    env.WSL_DISTRO_NAME && 'WSL',
    (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) && 'container',
  ].filter(Boolean)
  return [
    ...(hasDesktop && desktop === 'linux'
      ? [
          'address' in bus
            ? check('desktop.bus', 'ok', bus.address)
            : check(
                'desktop.bus',
                'warning',
                bus.why,
                'Set up another channel with: hookbell init',
              ),
        ]
      : []),
    ...(hasDesktop ? (permission[desktop] ?? []) : []),
    check('system', 'ok', [process.platform, `Node.js ${process.version}`, ...traits].join(', ')),
    future
      ? check(
          'clock',
          'warning',
          'events lie in the future: the clock was set back',
          'Set the clock',
        )
      : check('clock', 'ok', new Date(now).toISOString()),
  ]
}

/** On WSL the desktop is that of Windows. */
export function desktopOf(env: Facts['env']): NodeJS.Platform {
  return env.WSL_DISTRO_NAME ? 'win32' : process.platform
}

/** Systems on which a person has to allow notifications, and on which no program can ask for that. */
const permission: Readonly<Partial<Record<NodeJS.Platform, readonly Check[]>>> = {
  darwin: [
    check(
      'desktop.permission',
      'cannot tell',
      'macOS does not say whether notifications are allowed',
      'See System Settings, Notifications: allow "Script Editor", and "terminal-notifier" if it is listed',
    ),
  ],
  win32: [
    check(
      'desktop.permission',
      'cannot tell',
      'Windows does not say whether notifications are allowed',
      'See Settings, System, Notifications',
    ),
  ],
}
