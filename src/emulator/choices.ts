import { organization } from './choices/organization.ts'
import { reports } from './choices/reports.ts'
import { requests } from './choices/requests.ts'
import { sessions } from './choices/sessions.ts'

/** Where the specification is silent and the emulator had to decide. Documents list it, handlers read it. */
export interface OwnChoice {
  id: string
  /** What the specification does not show. */
  about: string
  /** What the emulator does. */
  choice: string
}

export const chosen = { ...requests, ...organization, ...sessions, ...reports }

/** Every decision of the emulator that the specification does not make. */
export const ownChoices: readonly OwnChoice[] = Object.entries(chosen).map(
  ([id, { about, choice }]) => ({ id, about, choice }),
)
