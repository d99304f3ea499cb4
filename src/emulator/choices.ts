import { organization } from './choices/organization.ts'
import { reports } from './choices/reports.ts'
import { requests } from './choices/requests.ts'
import { sessions } from './choices/sessions.ts'

/** A decision of the emulator where the specification is silent. The docs list it, handlers read its value. */
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
