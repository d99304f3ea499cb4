import fc from 'fast-check'
import { isFull, runs } from './runs.ts'

fc.configureGlobal({
  // Only the long sweeps draw new values in each run. Otherwise a change could fail for a value that it does not affect.
  ...(isFull ? {} : { seed: 20 }),
  // The default for properties that set no number of runs.
  numRuns: runs(100),
  // Otherwise `maxLength: 80` gives at most ten elements, and a property about long texts or rows would prove nothing.
  defaultSizeToMaxWhenMaxSpecified: true,
})
