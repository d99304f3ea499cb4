import fc from 'fast-check'
import { runs } from './runs.ts'

// The default for properties that set no number of runs.
fc.configureGlobal({ numRuns: runs(100) })
