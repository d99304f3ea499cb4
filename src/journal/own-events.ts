/** The client of events that hookbell itself makes, such as tests, digests and reports of failures. */
export const OWN_CLIENT = 'hookbell'

/** The event with which `doctor` and `init` try a registered command; nobody is notified of it. */
export const CANARY_EVENT = 'HookbellCanary'

/** Whether hookbell itself made the event. Such events are no work of an agent, so reports do not count them. */
export function isOwnEvent({ client, event }: { client: string; event: string }): boolean {
  return client === OWN_CLIENT || event === CANARY_EVENT
}
