import { duplicates } from './duplicates.ts'
import type { Policy } from './types.ts'

/** The rules in their order; the first that objects decides. Adding one: a file beside this one, and its line here. */
export const policies: readonly Policy[] = [duplicates as Policy]
