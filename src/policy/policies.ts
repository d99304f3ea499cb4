import { answeredAtOnce } from './answered-at-once.ts'
import { atTerminal } from './at-terminal.ts'
import { background } from './background.ts'
import { burst } from './burst.ts'
import { cooldown } from './cooldown.ts'
import { duplicates } from './duplicates.ts'
import { ends } from './ends.ts'
import { idle } from './idle.ts'
import { mute } from './mute.ts'
import { projectFile } from './project-file.ts'
import { quietHours } from './quiet-hours.ts'
import { repeats } from './repeats.ts'
import { shortTurns } from './short-turns.ts'
import { subAgents } from './sub-agents.ts'
import type { Policy } from './types.ts'

/**
 * The rules in their order: the first that suppresses decides. Where none does, the one that holds the longest.
 * Adding one: a file beside this one, and its line here.
 */
export const policies = [
  // What is no event of its own, and what a person has said, before any guess about what is worth telling.
  duplicates,
  mute,
  projectFile,
  repeats,
  subAgents,
  background,
  idle,
  ends,
  shortTurns,
  cooldown,
  atTerminal,
  answeredAtOnce,
  burst,
  quietHours,
] as readonly Policy[]
