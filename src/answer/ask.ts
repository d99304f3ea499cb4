import * as z from 'zod'
import { isPayload, type Payload, textOf } from '../event/payload.ts'

/** One of the questions with choices. */
export interface ChoiceQuestion {
  text: string
  options: readonly { label: string; description: string }[]
  /** Whether several options may be chosen. */
  isMultiple: boolean
}

/** A lasting permission that the client suggests beside the question. */
export interface SuggestedRule {
  /** What it allows from now on, and where, in words. */
  text: string
  /** As the payload has it: only this may be given back. */
  value: Payload
}

/** What may be answered to a request for permission. */
export type Ask =
  | { about: 'permission'; rules: readonly SuggestedRule[] }
  | { about: 'choices'; questions: readonly ChoiceQuestion[] }
  /** Whether an allowed plan also ends plan mode differs by version: it can only be refused. */
  | { about: 'plan' }

const optionSchema = z.object({ label: z.string().min(1), description: z.string().default('') })

const questionSchema = z.object({
  question: z.string().min(1),
  multiSelect: z.boolean().default(false),
  options: z.array(optionSchema).min(1),
})

const ruleSchema = z.object({ toolName: z.string(), ruleContent: z.string().optional() })

/** The suggestions of Claude Code. Others are not offered, since nobody could say what they do. */
const suggestionSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('addRules'),
    behavior: z.literal('allow'),
    rules: z.array(ruleSchema).min(1),
    destination: z.string(),
  }),
  z.object({
    type: z.literal('addDirectories'),
    directories: z.array(z.string()).min(1),
    destination: z.string(),
  }),
  z.object({ type: z.literal('setMode'), mode: z.string(), destination: z.string() }),
])

const destinations: Readonly<Record<string, string>> = {
  session: 'in this session',
  localSettings: 'in this project, for you',
  projectSettings: 'in this project, for everyone',
  userSettings: 'in all projects',
}

/**
 * What a payload of `PermissionRequest` lets a person answer.
 * @returns undefined if its questions have a form that is not known: then only the client itself can ask them
 */
export function askOf(payload: Payload, { isFull = false }: { isFull?: boolean }): Ask | undefined {
  const input = payload.tool_input
  const tool = textOf(payload, 'tool_name')
  if (isPlanTool(tool)) return { about: 'plan' }
  if (isPayload(input) && Array.isArray(input.questions)) {
    if (!isFull) return undefined
    const { data } = z.array(questionSchema).min(1).safeParse(input.questions)
    if (!data) return undefined
    const questions = data.map(({ question, multiSelect, options }) => ({
      text: question,
      isMultiple: multiSelect,
      options,
    }))
    // The answers are named by the questions.
    return new Set(questions.map(({ text }) => text)).size === questions.length
      ? { about: 'choices', questions }
      : undefined
  }
  return tool
    ? { about: 'permission', rules: isFull ? rulesOf(payload.permission_suggestions) : [] }
    : undefined
}

/** ExitPlanMode of Claude Code, exit_plan_mode of Qwen Code. */
function isPlanTool(tool: string): boolean {
  return /^exit_?plan_?mode$/i.test(tool)
}

function rulesOf(suggestions: unknown): SuggestedRule[] {
  if (!Array.isArray(suggestions)) return []
  return suggestions.filter(isPayload).flatMap((value) => {
    const { data } = suggestionSchema.safeParse(value)
    return data ? [{ text: ruleInWords(data), value }] : []
  })
}

function ruleInWords(suggestion: z.output<typeof suggestionSchema>): string {
  const where = destinations[suggestion.destination] ?? suggestion.destination
  if (suggestion.type === 'setMode') return `switch to the mode ${suggestion.mode} ${where}`
  if (suggestion.type === 'addDirectories')
    return `allow the folder ${suggestion.directories.join(', ')} ${where}`
  const rules = suggestion.rules.map(({ toolName, ruleContent }) =>
    ruleContent ? `${toolName}(${ruleContent})` : toolName,
  )
  return `allow ${rules.join(', ')} ${where}`
}
