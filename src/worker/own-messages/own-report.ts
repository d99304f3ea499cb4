/** The body of an event by which hookbell itself reports a failure. The templates make `reason` its title. */
export function ownReport(reason: string, message: string): Buffer {
  return Buffer.from(JSON.stringify({ hook_event_name: 'StopFailure', reason, message }))
}
