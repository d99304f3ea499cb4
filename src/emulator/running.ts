import type { makeFaults } from './faults.ts'
import type { Journal } from './journal.ts'
import type { Router } from './router.ts'
import type { World } from './world.ts'

/** A started emulator, as its servers and its control see it. */
export interface Running {
  readonly world: World
  readonly router: Router
  readonly journal: Journal
  readonly faults: ReturnType<typeof makeFaults>
  /** Writes the state if it has changed and there is a file for it. */
  save(): void
  /** Back to the seed and the faults of the start. */
  reset(): void
}
