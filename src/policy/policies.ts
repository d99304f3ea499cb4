import { answeredAtOnce } from './rules/answered-at-once.ts'
import { atTerminal } from './rules/at-terminal.ts'
import { burst } from './rules/burst.ts'
import { cooldown } from './rules/cooldown.ts'
import { duplicates } from './rules/duplicates.ts'
import { ends } from './rules/ends.ts'
import { goesOn } from './rules/goes-on.ts'
import { idle } from './rules/idle.ts'
import { mute } from './rules/mute.ts'
import { projectFile } from './rules/project-file.ts'
import { quietHours } from './rules/quiet-hours.ts'
import { repeats } from './rules/repeats.ts'
import { sameFailure } from './rules/same-failure.ts'
import { shortTurns } from './rules/short-turns.ts'
import { subAgents } from './rules/sub-agents.ts'
import type { Policy } from './types.ts'

/**
 * The rules in their order: the first that suppresses decides. If none does, the one that holds the longest decides.
 * To add a rule, add a file in rules/ and a line here.
 */
export const policies = [
  // Duplicates and what a person has set come first, before guesses about what is worth sending.
  duplicates,
  mute,
  projectFile,
  repeats,
  subAgents,
  goesOn,
  idle,
  ends,
  shortTurns,
  cooldown,
  atTerminal,
  answeredAtOnce,
  sameFailure,
  burst,
  quietHours,
] as readonly Policy[]
