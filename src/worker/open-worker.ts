import { hostname } from 'node:os'
import { CurrentConfig } from '../config/current.ts'
import { projectOf } from '../context/enrich.ts'
import { branchOf } from '../context/project.ts'
import { projectRules } from '../context/project-rules.ts'
import { Deliverer } from '../deliver/deliverer.ts'
import { Fresh } from '../fs/fresh.ts'
import { homeDir } from '../fs/home.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { Journal } from '../journal/journal.ts'
import { makeSteadyClock, monotonicMs } from '../monotonic.ts'
import type { Notifier } from '../notifiers/define.ts'
import { givenNotifiers } from '../notifiers/index.ts'
import { readMutes } from '../policy/mute-file.ts'
import type { SessionRef } from '../policy/sessions.ts'
import { sessionHash } from '../prepare/prepare.ts'
import { Templates } from '../render/templates.ts'
import { awayUntil } from '../spool/requests.ts'
import { Store } from '../spool/store.ts'
import type { WorkerDeps } from './deps.ts'
import { withRules } from './dispatch/judge-again.ts'
import { SessionQueue } from './dispatch/session-queue.ts'
import { Forms } from './forms/forms.ts'
import { Listeners } from './forms/listeners.ts'
import { TakeInput } from './forms/take-input.ts'
import { Maintenance } from './maintenance.ts'
import { WorkerMemory } from './memory.ts'
import { Alarms } from './own-messages/alarms.ts'
import { ConfigProblem } from './own-messages/config-problem.ts'
import { DigestSchedule } from './own-messages/digest.ts'
import { makeOwnMessage, Notices, type OwnEvent } from './own-messages/notices.ts'
import { AnswerReports, tellAnswer } from './watch/answer-reports.ts'
import { OpenQuestions } from './watch/open-questions.ts'
import { RunningTurns } from './watch/running-turns.ts'
import { OpenMessages } from './watch/shown-messages.ts'
import { StillSessions } from './watch/still-sessions.ts'
import { WaitingHooks } from './watch/waiting-hooks.ts'

export interface WorkerOptions {
  /** Notifiers that only this program has, by their names: the types of their channels. */
  notifiers?: readonly Notifier[]
  stateDir: string
  configDir: string
  /** Reused if the caller has already read it. */
  config?: CurrentConfig
  /** Called with each journal entry once it is on the disk. */
  onRecord?: ((entry: JournalEntry) => void) | undefined
  /** See WorkerDeps. */
  ending?: AbortSignal
}

export type Opened = ReturnType<typeof openWorker>

/** Creates and connects the parts of a worker. */
export function openWorker({ stateDir, configDir, onRecord, ...options }: WorkerOptions) {
  const given = options.notifiers && givenNotifiers(options.notifiers)
  const config = options.config ?? new CurrentConfig(configDir, stateDir, Date.now, given)
  const steadyNow = makeSteadyClock()
  const effects = { now: Date.now, random: Math.random }
  const journal = new Journal({ stateDir, secrets: () => config.last.secrets, onEntry: onRecord })
  const memory = new WorkerMemory(stateDir)
  const current = { ...effects, config: () => config.recent() }
  const store = new Store({ stateDir })
  const answers = new AnswerReports({
    host: hostname(),
    tell: (answer) => tellAnswer(answer, config.recent(), effects),
  })
  const onAnswer = (ref: SessionRef, id: string) => {
    const session = sessionHash({ ...ref, id })
    store.reviewHeld(session)
    answers.report({ session, at: effects.now(), isForAll: false, questions: [id] })
  }
  const questions = new OpenQuestions({ journal, memory, onAnswer, now: effects.now })
  const rules = new Fresh((cwd) => projectRules(cwd, { home: homeDir(), stateDir }))
  const ofProject = (cwd: string) => rules.get(cwd)
  const forms = new Forms({ ...current, stateDir, store, memory, projectRules: ofProject })
  const wake = { notify: () => {} }
  const taking = new TakeInput({
    ...{ ...current, stateDir, forms, journal, memory },
    channels: () => config.recent().config.answers.channels,
    onAnswer: () => wake.notify(),
  })
  const listeners = new Listeners({
    extraCaFile: () => config.recent().config.extraCaFile,
    onInput: (listener, input) => taking.take(listener, input),
    onProblem: (listener, problem) => forms.noteProblem(listener, problem),
  })
  const openMessages = new OpenMessages({ ...current, store, journal, memory, questions, forms })
  const deadChannels = () => memory.notes.deadChannels
  const withdraw = (event: string) => openMessages.withdraw(event)
  const make = (event: OwnEvent, channel: string) => makeOwnMessage(event, channel, deps)
  const notices = new Notices({
    ...current,
    stateDir,
    store,
    journal,
    make,
    deadChannels,
    withdraw,
  })
  const alarms = new Alarms({ ...current, stateDir, configDir, memory, notices, journal })
  const mutes = new Fresh(() => readMutes(stateDir))
  const projects = new Fresh(projectOf)
  const branches = new Fresh((cwd) => branchOf(cwd))
  const lookUp = {
    mutes: () => mutes.get(),
    projectOf: (cwd: string) => projects.get(cwd),
    isAway: () => awayUntil(stateDir, effects.now()) !== undefined,
  }
  const deps: WorkerDeps = {
    ...lookUp,
    stateDir,
    config,
    store,
    journal,
    deliverer: new Deliverer({
      ...{ ...current, steadyNow },
      life: notices.wrap(alarms.wrap(withRules(openMessages, { ...current, ...lookUp }))),
      isComing: (event, channel) => store.willBeDue(event, channel),
    }),
    memory,
    alarms,
    notices,
    answers,
    questions,
    open: openMessages,
    waiting: new WaitingHooks({ stateDir, memory }),
    ...{ forms, listeners, wake },
    turns: new RunningTurns({ store, now: effects.now }),
    still: new StillSessions({ ...current, store, memory, awakeNow: monotonicMs }),
    templates: new Templates(configDir),
    sessions: new SessionQueue(),
    branchOf: (cwd) => branches.get(cwd),
    projectRules: ofProject,
    resumed: new Map(),
    lastSession: { env: {} },
    host: hostname(),
    ending: options.ending,
    now: effects.now,
    steadyNow,
  }
  const parts = { maintenance: new Maintenance(deps), digest: new DigestSchedule(deps) }
  return { deps, ...parts, problem: new ConfigProblem(deps) }
}
