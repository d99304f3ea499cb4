import fc from 'fast-check'
import { isFull, runs } from './runs.ts'

fc.configureGlobal({
  // A change must not fail for a value that it did not touch: only the long sweeps draw new values each time.
  ...(isFull ? {} : { seed: 20 }),
  // The default for properties that set no number of runs.
  numRuns: runs(100),
  // Otherwise `maxLength: 80` makes ten elements at most, and a property about long texts or rows proves nothing.
  defaultSizeToMaxWhenMaxSpecified: true,
})
