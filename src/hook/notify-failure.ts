import { startDetached } from '../start-detached.ts'

const TITLE = 'hookbell: an agent event could not be stored'
const BODY = 'The disk may be full or read-only. Run: hookbell status'
const PATH = '/usr/bin:/bin:/usr/local/bin'

/**
 * The last way to tell a person that nothing can be stored. Constant text, and only on the bus of this user: a project can
 * set variables for its agent. Same text: bin/hookbell-hook.
 */
export function notifyFailure() {
  if (process.platform === 'darwin') {
    const script = `display notification "${BODY}" with title "${TITLE}"`
    startDetached('/usr/bin/osascript', ['-e', script], { PATH })
    return
  }
  const bus = `unix:path=/run/user/${process.getuid?.()}/bus`
  const env = { PATH, DBUS_SESSION_BUS_ADDRESS: bus }
  startDetached('notify-send', ['-u', 'critical', '--', TITLE, BODY], env)
}
