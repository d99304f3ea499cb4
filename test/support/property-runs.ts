import fc from 'fast-check'
import { runs } from './runs.ts'

fc.configureGlobal({
  // The default for properties that set no number of runs.
  numRuns: runs(100),
  // Otherwise `maxLength: 80` makes ten elements at most, and a property about long texts or rows proves nothing.
  defaultSizeToMaxWhenMaxSpecified: true,
})
