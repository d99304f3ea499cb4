import { HookbellError, usageError } from '../errors.ts'
import type { Payload } from '../event/payload.ts'
import { didYouMean } from '../text/suggest.ts'
import type { Ask, ChoiceQuestion } from './ask.ts'

/** What a person decides. */
export type Decision =
  | { type: 'allow' }
  /** `rule` is the number of the suggested rule, from 0. */
  | { type: 'always'; rule: number }
  | { type: 'deny'; reason: string }
  /** The chosen labels, question by question. */
  | { type: 'choose'; labels: readonly (readonly string[])[] }

/** Longer than anybody types. */
const MAX_REASON = 2000
const DENIED = 'The person denied this.'

/**
 * Reads a decision from words, such as `allow`, `deny 'Use the test database'`, `always 2`, or a choice by its number or label:
 * several choices of one question with commas, those of several questions with semicolons.
 * @throws HookbellError E_USAGE if the question cannot be answered with these words
 */
export function readDecision(words: readonly string[], ask: Ask): Decision {
  const [verb = '', ...rest] = words
  if (verb === 'deny') return { type: 'deny', reason: rest.join(' ').slice(0, MAX_REASON) }
  if (ask.about === 'plan')
    throw usageError('a plan can only be denied from here', 'Allow it where the agent asks')
  if (ask.about === 'choices') return choose(words, ask.questions)
  if (verb === 'always') return { type: 'always', rule: ruleAt(rest, ask) }
  if (verb === 'allow' && rest.length === 0) return { type: 'allow' }
  const known = ask.rules.length > 0 ? ['allow', 'always', 'deny'] : ['allow', 'deny']
  if (verb === 'allow') throw usageError('allow takes no other words', 'A reason goes with deny')
  throw usageError(`unknown answer "${verb}"`, didYouMean(verb, known, 'Answers'))
}

/** The line that the hook prints for its client. */
export function decisionLine(decision: Decision, ask: Ask, payload: Payload): string {
  const hookSpecificOutput = {
    hookEventName: 'PermissionRequest',
    decision: decisionOf(decision, ask, payload),
  }
  return JSON.stringify({ hookSpecificOutput })
}

function decisionOf(decision: Decision, ask: Ask, payload: Payload): object {
  switch (decision.type) {
    case 'deny':
      return { behavior: 'deny', message: decision.reason || DENIED }
    case 'always':
      return { behavior: 'allow', updatedPermissions: [ruleOf(ask, decision.rule)] }
    case 'choose':
      return { behavior: 'allow', updatedInput: withAnswers(decision.labels, ask, payload) }
    default:
      // An `allow` without answers would return an empty answer to the agent.
      if (ask.about !== 'permission') throw new HookbellError('E_FAILED', 'it has no choices')
      return { behavior: 'allow' }
  }
}

function ruleOf(ask: Ask, rule: number): Payload {
  const found = ask.about === 'permission' ? ask.rules[rule]?.value : undefined
  if (!found) throw new HookbellError('E_FAILED', 'the client suggests no such rule')
  return found
}

function withAnswers(labels: readonly (readonly string[])[], ask: Ask, payload: Payload): object {
  const questions = ask.about === 'choices' ? ask.questions : []
  const answers = questions.map(({ text }, at) => [text, labels[at]?.join(', ')] as const)
  return { ...Object(payload.tool_input), answers: Object.fromEntries(answers) }
}

function ruleAt([word, ...more]: readonly string[], { rules }: { rules: readonly unknown[] }) {
  if (rules.length === 0)
    throw usageError('always: the client suggests no rule for this', 'Use allow')
  if (word === undefined && rules.length > 1)
    throw usageError('always: which rule?', `Give its number, 1 to ${rules.length}`)
  const at = word === undefined ? 0 : Number(word) - 1
  if (!(at in rules) || more.length > 0)
    throw usageError(`always: no rule "${word}"`, `Give its number, 1 to ${rules.length}`)
  return at
}

function choose(words: readonly string[], questions: readonly ChoiceQuestion[]): Decision {
  const text = words.join(' ')
  // A label may contain a semicolon.
  const parts = questions.length > 1 ? text.split(';') : [text]
  if (parts.length !== questions.length) {
    const hint = "Give one for each question, in order, such as '2; 1,3'"
    throw usageError(`${questions.length} answers are needed, not ${parts.length}`, hint)
  }
  const labels = questions.map((question, at) => labelsIn(parts[at]?.trim() ?? '', question))
  return { type: 'choose', labels }
}

function labelsIn(word: string, { options, isMultiple, text }: ChoiceQuestion): string[] {
  const labels = options.map(({ label }) => label)
  // A label may contain a comma.
  const parts = labels.includes(word) || !isMultiple ? [word] : word.split(',')
  return [...new Set(parts.map((part) => labelOf(part.trim(), labels, text)))]
}

function labelOf(word: string, labels: readonly string[], question: string): string {
  const same = labels.filter((label) => label.toLowerCase() === word.toLowerCase())
  const [label = /^\d+$/.test(word) ? labels[Number(word) - 1] : undefined] = same
  if (label !== undefined && word !== '') return label
  const hint = didYouMean(word, labels, 'Choices')
  throw usageError(`"${question}" has no choice "${word}"`, hint)
}
