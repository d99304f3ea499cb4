/** The event with which `doctor` tries a registered command; nobody is notified of it. */
export const CANARY_EVENT = 'HookbellCanary'
