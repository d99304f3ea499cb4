import { defineCommand } from 'citty'
import { readDecision } from '../answer/decision.ts'
import { decisionInWords, giveAnswer } from '../answer/give-answer.ts'
import { type AnswerableQuestion, answerableQuestions } from '../answer/open-questions.ts'
import { switchOff, switchOn } from '../answer/switch.ts'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say } from '../cli/output.ts'
import { shellEnvironment } from '../clients/shell-environment.ts'
import { stateDir } from '../config/paths.ts'
import { HookbellError, usageError } from '../errors.ts'
import { isWithin } from '../spool/lock/owner.ts'
import { parseDuration } from '../text/duration.ts'
import { formatSecond } from '../text/local-time.ts'
import { wakeWorkerOf } from './_worker.ts'
import { asJson, inFull } from './answer/text.ts'

export const answerCommand = defineCommand({
  args: {
    id: {
      type: 'positional',
      required: false,
      description:
        'The question: the start of its id. Or off: no question waits any more; on, or on 1h; pair or unpair CHANNEL',
    },
    answer: {
      type: 'positional',
      required: false,
      description:
        'allow, deny, always (a rule that the agent suggests), or the label or number of a choice',
    },
    reason: {
      type: 'positional',
      required: false,
      description: 'For deny: why, which the agent reads. For always: the number of the rule',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { id, answer, reason, json = false } }) {
    const state = stateDir()
    if (id === 'off' || id === 'on') return await setAnswers(id, { state, time: answer, json })
    if (id === 'pair' || id === 'unpair') return await changePeople(id, answer, reason)
    const all = answerableQuestions(state)
    if (id === undefined) return show(all, json)
    const question = find(all, id)
    if (answer === undefined) return show([question], json)
    refuseAgents(question)
    const words = [answer, reason].filter((word) => word !== undefined)
    const decision = readDecision(words, question.ask)
    const given = await giveAnswer(state, question, decision, { place: 'command' })
    if (!given) throw tooLate(id)
    // It withdraws the messages that ask.
    wakeWorkerOf(state)
    if (given.problem) throw notRecorded(given.problem)
    const inWords = decisionInWords(decision, question.ask)
    if (json) return printJson({ id: question.event.id, answer: inWords })
    say(asTyped(`${inWords}; see: hookbell why ${question.event.id.slice(0, 8)}`))
  },
})

/** @param time for how long channels may answer, such as `1h` */
async function setAnswers(
  to: 'off' | 'on',
  { state, time, json }: { state: string; time?: string | undefined; json: boolean },
) {
  const ms = time === undefined ? undefined : parseDuration(time)
  if (time !== undefined && (ms === undefined || to === 'off'))
    throw usageError(`answer: "${time}" is no time`, 'Such as: hookbell answer on 1h')
  if (to === 'on') {
    if (shellEnvironment(process.env) !== process.env) throw onlyPersons()
    const until = ms === undefined ? undefined : Date.now() + ms
    switchOn(state, until)
    if (json) return printJson({ answers: 'on', ...(until !== undefined && { until }) })
    const end = until === undefined ? '' : `; on channels until ${formatSecond(until)}`
    return say(`Questions can be answered from here again, beginning with the next one${end}`)
  }
  const waited = await switchOff(state)
  if (json) return printJson({ answers: 'off', ended: waited })
  const ended = waited > 0 ? `; ended for ${waited} that waited` : ''
  say(
    asTyped(
      `Questions can only be answered where the agent asks${ended}. Undo: hookbell answer on`,
    ),
  )
}

function show(questions: readonly AnswerableQuestion[], json: boolean) {
  if (json) return printJson(questions.map(asJson))
  if (questions.length === 0) {
    return say(
      asTyped('No question waits for an answer from here. Set up with: hookbell init --answers'),
    )
  }
  say(questions.map(inFull).join('\n\n'))
}

function find(all: readonly AnswerableQuestion[], start: string): AnswerableQuestion {
  const found = all.filter(({ event }) => start !== '' && event.id.startsWith(start))
  const [only, ...others] = found
  if (!only) throw tooLate(start)
  if (others.length > 0)
    throw usageError(
      `answer: ${found.length} questions start with "${start}"`,
      'Give more of the id',
    )
  return only
}

function tooLate(id: string) {
  const hint = 'It was answered, or its time is over. Those that wait: hookbell answer'
  return usageError(`answer: no question "${id}" waits for an answer`, hint)
}

function notRecorded(problem: string) {
  return new HookbellError(
    'E_FAILED',
    `answer: the agent has it, but it was not recorded: ${problem}`,
  )
}

/**
 * An agent must not answer its own question, nor that of another one, by running this command. That stops no program that
 * wants to: whatever runs as this user can also press the keys.
 */
function refuseAgents({ hook }: AnswerableQuestion) {
  const isAgent = shellEnvironment(process.env) !== process.env || isWithin(hook.pid, process.pid)
  if (!isAgent) return
  throw onlyPersons()
}

async function changePeople(how: 'pair' | 'unpair', channel?: string, person?: string) {
  const { pair, unpair } = await import('./answer/pair.ts')
  if (how === 'unpair') return unpair(channel, person)
  if (shellEnvironment(process.env) !== process.env) throw onlyPersons()
  await pair(channel)
}

function onlyPersons() {
  return usageError(
    'answer: an agent runs this command, and only a person may answer',
    'Run it in a shell of your own',
  )
}
