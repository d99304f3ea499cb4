/** The event with which `doctor` tries a registered command; nobody is told of it. */
export const CANARY_EVENT = 'HookbellCanary'
