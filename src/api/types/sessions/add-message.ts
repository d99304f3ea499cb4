// Written by `npm run gen` from the table in src/api/endpoints/.
import type { Open } from '../open.ts'

export interface AddMessageResponse {
  /** ID of the new message. */
  messageId: string
  /** Execution status of the session. */
  status: Open<'idle' | 'pending' | 'running'>
}
