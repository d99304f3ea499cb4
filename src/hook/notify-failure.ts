import { startDetached } from '../start-detached.ts'
import { sessionEnv } from './session-env.ts'

const TITLE = 'hookbell: an agent event could not be stored'
const BODY = 'The disk may be full or read-only. Run: hookbell status'

/** The last way to tell a person that nothing can be stored. Constant text only. Same text: bin/hookbell-hook. */
export function notifyFailure() {
  // Of the session's environment only what is needed to reach its desktop.
  const env = { ...sessionEnv(process.env), PATH: '/usr/bin:/bin:/usr/local/bin' }
  if (process.platform === 'darwin') {
    const script = `display notification "${BODY}" with title "${TITLE}"`
    startDetached('/usr/bin/osascript', ['-e', script], env)
    return
  }
  startDetached('notify-send', ['-u', 'critical', '--', TITLE, BODY], env)
}
