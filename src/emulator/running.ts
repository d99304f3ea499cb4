import type { makeFaults } from './faults.ts'
import type { Journal } from './journal.ts'
import type { Router } from './router.ts'
import type { World } from './world.ts'

/** The parts of a started emulator that its servers and its control API use. */
export interface Running {
  readonly world: World
  readonly router: Router
  readonly journal: Journal
  readonly faults: ReturnType<typeof makeFaults>
  /** Writes the state if it has changed and there is a file for it. */
  save(): void
  /** Restores the seed and the faults of the start. */
  reset(): void
}
