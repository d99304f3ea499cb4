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
import { queuedPrompts } from './queued-prompts.ts'
import { quietHours } from './quiet-hours.ts'
import { repeats } from './repeats.ts'
import { scheduled } from './scheduled.ts'
import { shortTurns } from './short-turns.ts'
import { stopHooks } from './stop-hooks.ts'
import { subAgents } from './sub-agents.ts'
import type { Policy } from './types.ts'

/**
 * The rules in their order: the first that suppresses decides. If none does, the one that holds the longest decides.
 * To add a rule, add a file beside this one and a line here.
 */
export const policies = [
  // Duplicates and what a person has set come first, before guesses about what is worth sending.
  duplicates,
  mute,
  projectFile,
  repeats,
  subAgents,
  stopHooks,
  queuedPrompts,
  background,
  scheduled,
  idle,
  ends,
  shortTurns,
  cooldown,
  atTerminal,
  answeredAtOnce,
  burst,
  quietHours,
] as readonly Policy[]
