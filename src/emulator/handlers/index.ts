import type { Handler } from '../world.ts'
import { analytics } from './analytics.ts'
import { automations } from './automations.ts'
import { beyond } from './beyond.ts'
import { computers } from './computers.ts'
import { organization } from './organization.ts'
import { readiness } from './readiness.ts'
import { serviceAccounts } from './service-accounts.ts'
import { sessions } from './sessions.ts'
import { wiki } from './wiki.ts'

/** The handlers of the emulator, by endpoint ID. */
export const handlers: ReadonlyMap<string, Handler> = new Map(
  [
    ...serviceAccounts,
    ...organization,
    ...sessions,
    ...computers,
    ...automations,
    ...wiki,
    ...analytics,
    ...readiness,
    ...beyond,
  ].map((handler) => [handler.endpoint.id, handler]),
)
