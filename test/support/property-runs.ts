import fc from 'fast-check'
import { runs } from './runs.ts'

// For the properties that say nothing else.
fc.configureGlobal({ numRuns: runs(100) })
