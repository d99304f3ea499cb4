import { startDetached } from './wake.ts'

const TITLE = 'hookbell: an agent event could not be stored'
const BODY = 'The disk may be full or read-only. Run: hookbell status'

/** Nothing can be stored: the last way to tell a person. Constant text only. Same text: bin/hookbell-hook. */
export function notifyFailure() {
  if (process.platform === 'darwin') {
    const script = `display notification "${BODY}" with title "${TITLE}"`
    return startDetached('/usr/bin/osascript', ['-e', script], process.env)
  }
  startDetached('notify-send', ['-u', 'critical', '--', TITLE, BODY], process.env)
}
