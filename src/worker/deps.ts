import type { CurrentConfig } from '../config/current.ts'
import type { ProjectRules } from '../context/project-rules.ts'
import type { Deliverer } from '../deliver/deliverer.ts'
import type { EventStatus } from '../journal/history.ts'
import type { Journal } from '../journal/journal.ts'
import type { PolicyMemory } from '../policy/checkpoint.ts'
import type { Mute } from '../policy/mutes.ts'
import type { Templates } from '../render/templates.ts'
import type { Store } from '../spool/store.ts'
import type { Alarms } from './alarms.ts'
import type { AnswerReports } from './answer-reports.ts'
import type { OpenMessages } from './open-messages.ts'
import type { SessionQueue } from './session-queue.ts'

/** What the parts of the worker share. */
export interface WorkerDeps {
  stateDir: string
  store: Store
  journal: Journal
  config: CurrentConfig
  deliverer: Deliverer
  memory: PolicyMemory
  /** What must not stay unseen. */
  alarms: Alarms
  /** What a hub is told of answers. */
  answers: AnswerReports
  /** What is shown and waits for an answer. */
  open: OpenMessages
  /** What a person has muted, read now. */
  mutes(): readonly Mute[]
  templates: Templates
  sessions: SessionQueue
  /** Names of projects by working folder. */
  projects: Map<string, Promise<string>>
  branchOf: (cwd: string) => Promise<string>
  projectRules: (cwd: string) => Promise<ProjectRules | undefined>
  /** What the journal says of events that another worker had begun. */
  begun: Map<string, EventStatus>
  /** Where the last event came from: our own messages go to that desktop. */
  lastSession: { env: Readonly<Record<string, string>> }
  host: string
  now(): number
  /** Milliseconds of a clock that is never put back. */
  steadyNow(): number
}
