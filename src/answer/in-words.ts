import type { Payload } from '../event/payload.ts'
import type { Ask } from './ask.ts'

/** All of what is asked, in lines: what is not shown must not be allowed. */
export function whatIsAsked(ask: Ask, { tool_name: tool, tool_input: input }: Payload): string[] {
  if (ask.about === 'choices') {
    return ask.questions.flatMap(({ text, options, isMultiple }) => [
      `${text} ${isMultiple ? '(one or several)' : '(one)'}`,
      ...options.map(({ label, description }, at) =>
        [`  ${at + 1}. ${label}`, description].filter(Boolean).join(': '),
      ),
    ])
  }
  const call = commandCall(input)
  if (!call) return [`${tool}: ${JSON.stringify(input, null, 2)}`]
  return [`${tool}: ${call.command}`, ...call.others.map((text) => `(${text})`)]
}

/** A command, and what its tool takes besides it; undefined for a tool that takes more than short facts about the command. */
export function commandCall(input: unknown): { command: string; others: string[] } | undefined {
  const { command, description, ...facts } = Object(input) as Record<string, unknown>
  const isShort = (one: unknown) => ['number', 'boolean'].includes(typeof one)
  if (typeof command !== 'string' || !Object.values(facts).every(isShort)) return undefined
  const named = Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
  return { command, others: [...(typeof description === 'string' ? [description] : []), ...named] }
}
