import { clients } from '../clients/index.ts'
import { oneLine, startOf } from '../text/clean.ts'
import { MARK, redactStart } from '../text/redact/redact.ts'
import type { Question } from './event.ts'
import { fieldOf, isPayload, type Payload, textOf } from './payload.ts'
import { changeIn, commandIn, pathIn, wordsIn } from './tool-input.ts'

/** More than fits on any screen; messages truncate further. Commands that write a file are long, and may end in another. */
const MAX_SUBJECT = 32 * 1024
const MAX_CHOICES = 12
const MAX_INPUT = 200
/** The fields in which a tool says what it is used for. */
const details = ['description', 'justification', 'reason', 'prompt']

/** Names of inputs whose values are secret, whatever they contain. */
const SECRET =
  /(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|(?:api|access|private|secret)[_-]?key)$/i
/** Inputs that name a field of a form or a variable, and those with what is written into it. */
const targets = ['element', 'selector', 'label', 'field', 'name', 'key', 'variable']
const typed = ['text', 'value', 'content']
const SECRET_FIELD = /passw|passphrase|kennwort|secret|token|(?:api|access|private)[ _-]?key/i

const askTools: ReadonlySet<string> = new Set(
  Object.values(clients).flatMap(({ askTools }) => askTools as readonly string[]),
)

/** Whether a tool asks the person a question, rather than needing permission. */
export function isAskTool(tool: string): boolean {
  return askTools.has(tool)
}

/** Whether an event announces a dialog in which a person is asked something in words. */
export function isDialog({ notificationType }: { notificationType: string }): boolean {
  return /^elicitation/i.test(notificationType)
}

/** The type of a dialog of Gemini CLI is the name of its tool that asks, if one does. */
export function toolOfDialog(dialog: unknown): string {
  const type = isPayload(dialog) ? textOf(dialog, 'type') : ''
  return isAskTool(type) ? type : ''
}

/** What a call of a tool asks a person, derived from the tool's input. */
export function questionOfTool(
  tool: string,
  input: unknown,
  from: Question['from'],
): Question | undefined {
  const facts = isPayload(input) ? input : {}
  // Some clients ask under the name of a dialog; its `questions` show that it asks.
  if (isAskTool(tool) || Array.isArray(facts.questions)) return asked(tool, facts, from)
  const subject = subjectOf(facts)
  if (!tool && !subject) return undefined
  const detail = cut(textOf(facts, ...details))
  const change = subject?.about === 'file' ? cut(changeIn(facts)) : ''
  return {
    about: subject?.about ?? 'tool',
    tool,
    subject: subject?.text ?? '',
    detail: detail === subject?.text ? '' : detail,
    choices: [],
    ...(change && { change }),
    from,
  }
}

/**
 * What is asked in a dialog of Gemini CLI, which has a type and a title. Those of its own tools that ask have nothing else:
 * `{type: 'ask_user', title: 'Ask User'}`.
 */
export function questionOfDialog(tool: string, dialog: Payload): Question | undefined {
  const { type, title, serverName, toolName, toolDisplayName: _, ...facts } = dialog
  const asked = questionOfTool(tool, facts, 'payload')
  // A path alone does not say whether the file would be read or written; the title does.
  if (asked?.about === 'file' && !asked.detail)
    return { ...asked, detail: cut(textOf({ title }, 'title')) }
  if (asked?.subject) return asked
  const names = [serverName, toolName].filter((one) => typeof one === 'string').join(': ')
  const subject = cut(names || textOf({ title }, 'title'))
  if (!subject) return asked
  const detail = cut(textOf(facts, ...details))
  const about = aboutOfDialog(String(type))
  return { about, tool, subject, detail, choices: [], from: 'payload' }
}

function aboutOfDialog(type: string): Question['about'] {
  if (!isAskTool(type)) return 'tool'
  return type.includes('plan') ? 'plan' : 'question'
}

/** A question in plain words, such as that of a dialog. */
export function questionInWords(message: string): Question {
  return {
    about: 'question',
    tool: '',
    subject: cut(message),
    detail: '',
    choices: [],
    from: 'payload',
  }
}

/** The client's own words, with the subject of the question appended if they do not contain it. */
export function withSubject(message: string, subject: string): string {
  if (!message || !subject || message.includes(subject)) return message
  return `${message}: ${subject}`
}

function asked(tool: string, facts: Payload, from: Question['from']): Question {
  const plan = textOf(facts, 'plan', 'specification')
  if (plan) return { about: 'plan', tool, subject: cut(plan), detail: '', choices: [], from }
  const list = Array.isArray(facts.questions)
    ? facts.questions.filter(isPayload)
    : questionsIn(textOf(facts, 'questionnaire'))
  const [first = facts] = list
  const all = list.filter((one) => textOf(one, 'question', 'prompt') !== '')
  const last = all.at(-1) ?? first
  const subject =
    all.map((one, at) => wordsOf(one, at, all.length)).join('\n\n') ||
    textOf(facts, 'question', 'questionnaire', 'prompt', 'message')
  return {
    about: 'question',
    tool,
    subject: cut(subject),
    detail: cut(textOf(first, 'header', 'description')),
    choices: choicesOf(last),
    ...(isMultiple(last) && { isMultiple: true }),
    ...(all.length > 1 && { count: all.length }),
    from,
  }
}

/** A question with its choices below it, as a list in Markdown; the last one without them, because they are `choices`. */
function wordsOf(facts: Payload, at: number, count: number): string {
  const words = textOf(facts, 'question', 'prompt')
  if (at === count - 1) return words
  const choices = choicesOf(facts)
  const how = howToAnswer({ choices, isMultiple: isMultiple(facts) }, at + 1, count)
  return [`${words}${how}`, ...choices.map((one, index) => `${index + 1}. ${one}`)].join('\n')
}

/** ` (2 of 3, choose one)`; '' for the only question, without choices. */
export function howToAnswer(
  { choices, isMultiple }: Pick<Question, 'choices' | 'isMultiple'>,
  number: number,
  count: number,
): string {
  const how = isMultiple ? 'choose several' : 'choose one'
  const facts = [
    ...(count > 1 ? [`${number} of ${count}`] : []),
    ...(choices.length > 1 ? [how] : []),
  ]
  return facts.length > 0 ? ` (${facts.join(', ')})` : ''
}

function isMultiple({ multiSelect, multi_select, multiple }: Payload): boolean {
  return [multiSelect, multi_select, multiple].includes(true)
}

/** droid asks in one text, with a line `1. [question] ...` and below it lines `[topic] ...` and `[option] ...`. */
function questionsIn(questionnaire: string): Payload[] {
  const questions: { question: string; options: string[]; multiple: boolean }[] = []
  for (const [, mark, text = ''] of questionnaire.matchAll(
    /^[ \t\d.)-]*\[(question|option)\](.*)$/gm,
  )) {
    const question = text.trimEnd().replace(/ \(multi\)$/, '')
    const multiple = question !== text.trimEnd()
    if (mark === 'question') questions.push({ question, options: [], multiple })
    else questions.at(-1)?.options.push(text)
  }
  return questions
}

function choicesOf(facts: Payload): string[] {
  const given = [facts.options, facts.choices, enumIn(facts)].find(Array.isArray) ?? []
  return (given as unknown[])
    .map((one) => (isPayload(one) ? choiceOf(one) : typeof one === 'string' ? one : ''))
    .map((one) => startOf(oneLine(one), MAX_INPUT))
    .filter((one) => one !== '')
    .slice(0, MAX_CHOICES)
}

function choiceOf(option: Payload): string {
  const [label, description] = [textOf(option, 'label', 'value'), textOf(option, 'description')]
  return label && description && description !== label ? `${label}: ${description}` : label
}

const places = [
  ['command', commandIn],
  ['file', pathIn],
  ['url', (facts: Payload) => textOf(facts, 'url', 'uri') || wordsIn(facts.urls)],
] as const

/** Copilot describes what it asks for by a JSON schema. With several fields, it is not known which one a choice is for. */
function enumIn(facts: Payload): unknown {
  const fields = fieldOf(facts, 'requestedSchema.properties')
  const [field, ...others] = isPayload(fields) ? Object.values(fields) : []
  return isPayload(field) && others.length === 0 ? field.enum : undefined
}

/** What the tool would act on. */
function subjectOf(facts: Payload): { about: Question['about']; text: string } | undefined {
  for (const [about, find] of places) {
    const text = cut(find(facts))
    if (text) return { about, text }
  }
  const text = cut(wordsIn(facts.patterns) || inputsIn(facts))
  return text ? { about: 'tool', text } : undefined
}

/** The short inputs of a tool that nothing else is known of, such as one of an MCP server: `title: Login, team: Web`. */
function inputsIn(facts: Payload): string {
  const isFieldSecret = targets.some((name) => SECRET_FIELD.test(textOf(facts, name)))
  return Object.entries(facts)
    .filter(
      ([name, value]) => !details.includes(name) && /^(string|number|boolean)$/.test(typeof value),
    )
    .map(([name, value]) => {
      const isSecret = SECRET.test(name) || (isFieldSecret && typed.includes(name))
      return `${name}: ${isSecret && typeof value === 'string' && value ? MARK : short(`${value}`)}`
    })
    .join(', ')
}

/** Redacted first, and cut between words, because a secret that is cut in half is not recognized. */
function short(text: string): string {
  const clean = redactStart(text.trim(), MAX_INPUT)
  const start = startOf(clean, MAX_INPUT - 1)
  return start === clean ? clean : `${start}…`
}

function cut(text: string): string {
  return startOf(text, MAX_SUBJECT)
}
