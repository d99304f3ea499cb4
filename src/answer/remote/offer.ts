import { findClient } from '../../clients/index.ts'
import type { Clearance } from '../../delivery.ts'
import { cutText, escapeControls } from '../../text/clean.ts'
import { redact } from '../../text/redact/redact.ts'
import { commandCall, whatIsAsked } from '../in-words.ts'
import type { AnswerableQuestion } from '../open-questions.ts'
import { hidesSomething, whyNever } from './never.ts'

/** What a channel shows of a question, and whether it may be allowed there. */
export interface Offer {
  text: string
  /** Why it can only be denied there; absent if it can be allowed, or chosen from. */
  whyNot?: string
}

interface Place {
  clearance: Clearance
  /** How long a text may be of which the channel shows all. */
  room: number
  /** The person's own list. */
  never: readonly string[]
  /** The secrets of the configuration. */
  secrets: readonly string[]
  /** What the channel shows of a question anyway. */
  shown: string
}

/** More buttons than a person reads. */
const MAX_CHOICES = 40

/** All of the question is shown, or it cannot be allowed. */
export function offerOf(question: AnswerableQuestion, place: Place): Offer {
  const { ask, payload, event } = question
  const who = findClient(event.client)?.title ?? event.client
  const part = event.agentId ? [`asked by its sub-agent ${event.agent || event.agentId}`] : []
  const asked = [`${who} in ${event.cwd}`, ...part, ...whatIsAsked(ask, payload)].join('\n')
  const text = escapeControls(asked)
  const whyNot = whyNotHere(question, text, asked, place)
  if (whyNot === undefined) return { text }
  const shown = cutText(escapeControls(place.shown), place.room)
  return { text: shown, whyNot: `${whyNot}: answer at the machine` }
}

function whyNotHere(
  { ask, payload }: AnswerableQuestion,
  escaped: string,
  asked: string,
  { clearance, room, never, secrets }: Place,
): string | undefined {
  const { tool_name: tool, tool_input: input } = payload
  if (ask.about === 'plan') return 'a plan can only be denied here'
  const isShort = ask.about === 'choices' || commandCall(input) !== undefined
  if (clearance === 'minimal' || (clearance === 'summary' && !isShort))
    return 'this channel may not show all of it'
  if (escaped.length > room) return 'too long'
  if (hidesSomething(asked)) return 'it has characters that cannot be seen'
  // Something that was taken out could hide a part of the command.
  if (redact(asked, secrets) !== asked) return 'it has a secret'
  if (ask.about === 'permission') return whyNever({ tool: String(tool), input }, never)
  const count = ask.questions.reduce((sum, { options }) => sum + options.length, 0)
  return count > MAX_CHOICES ? 'too many choices' : undefined
}
