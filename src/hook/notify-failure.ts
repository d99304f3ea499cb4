import { startDetached } from '../start-detached.ts'

const TITLE = 'hookbell: an agent event could not be stored'
const BODY = 'The disk may be full or read-only. Run: hookbell status'

/** The last way to tell a person that nothing can be stored. Constant text only. Same text: bin/hookbell-hook. */
export function notifyFailure() {
  // A repository can set variables for its agent, so the desktop is that of the user, not one that a variable names.
  const env = {
    PATH: '/usr/bin:/bin:/usr/local/bin',
    DBUS_SESSION_BUS_ADDRESS: `unix:path=/run/user/${process.getuid?.()}/bus`,
  }
  if (process.platform === 'darwin') {
    const script = `display notification "${BODY}" with title "${TITLE}"`
    startDetached('/usr/bin/osascript', ['-e', script], env)
    return
  }
  startDetached('notify-send', ['-u', 'critical', '--', TITLE, BODY], env)
}
