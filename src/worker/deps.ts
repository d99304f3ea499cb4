import type { CurrentConfig } from '../config/current.ts'
import type { ProjectRules } from '../context/project-rules.ts'
import type { Deliverer } from '../deliver/deliverer.ts'
import type { EventStatus } from '../journal/history.ts'
import type { Journal } from '../journal/journal.ts'
import type { Mute } from '../policy/mutes.ts'
import type { Templates } from '../render/templates.ts'
import type { Store } from '../spool/store.ts'
import type { SessionQueue } from './dispatch/session-queue.ts'
import type { Forms } from './forms/forms.ts'
import type { Listeners } from './forms/listeners.ts'
import type { WorkerMemory } from './memory.ts'
import type { Alarms } from './own-messages/alarms.ts'
import type { Notices } from './own-messages/notices.ts'
import type { AnswerReports } from './watch/answer-reports.ts'
import type { OpenQuestions } from './watch/open-questions.ts'
import type { RunningTurns } from './watch/running-turns.ts'
import type { OpenMessages } from './watch/shown-messages.ts'
import type { StillSessions } from './watch/still-sessions.ts'
import type { WaitingHooks } from './watch/waiting-hooks.ts'

/** Dependencies that the parts of the worker share. */
export interface WorkerDeps {
  stateDir: string
  store: Store
  journal: Journal
  config: CurrentConfig
  deliverer: Deliverer
  memory: WorkerMemory
  /** Reports unreached questions and dead channels. */
  alarms: Alarms
  /** hookbell's own reports, which try one channel after the other. */
  notices: Notices
  /** Tells the hub which sessions were answered. */
  answers: AnswerReports
  /** Questions that wait for an answer, wherever a person was told of them. */
  questions: OpenQuestions
  /** Messages that are shown and wait for an answer. */
  open: OpenMessages
  /** Hooks that wait for an answer from elsewhere. */
  waiting: WaitingHooks
  /** Questions that can be answered on channels, and who hears these. */
  forms: Forms
  listeners: Listeners
  /** To be called when an answer has come: the worker looks at once. */
  wake: { notify(): void }
  /** Turns whose failure only their transcript shows. */
  turns: RunningTurns
  /** Sessions that stand still while they should work. */
  still: StillSessions
  /** The mutes in force, at most 20 ms old. */
  mutes(): readonly Mute[]
  /** Whether a person has said so, by `hookbell away`. */
  isAway(): boolean
  templates: Templates
  sessions: SessionQueue
  projectOf: (cwd: string) => Promise<string>
  branchOf: (cwd: string) => Promise<string>
  projectRules: (cwd: string) => Promise<ProjectRules | undefined>
  /** The journal's status of events that another worker began, by id. */
  resumed: Map<string, EventStatus>
  /** The session of the last event: hookbell's own messages go to its desktop. */
  lastSession: { env: Readonly<Record<string, string>> }
  host: string
  /** Once aborted: start nothing new, finish what is being sent, and end. */
  ending?: AbortSignal | undefined
  now(): number
  /** Milliseconds of a clock that is never set back. */
  steadyNow(): number
}
