import type { Ask } from '../../answer/ask.ts'
import { whatIsAsked } from '../../answer/in-words.ts'
import type { AnswerableQuestion } from '../../answer/open-questions.ts'
import { asTyped } from '../../cli/how-to-call.ts'
import { ago, paint } from '../../cli/output.ts'
import { findClient } from '../../clients/index.ts'
import { escapeControls, showPath } from '../../text/clean.ts'

/** A question with all that will happen if it is allowed, and the commands that answer it. */
export function inFull({ event, ask, payload }: AnswerableQuestion): string {
  const id = event.id.slice(0, 8)
  const client = findClient(event.client)?.title ?? event.client
  const head = `${paint('bold', id)}  ${escapeControls(client)} in ${showPath(event.cwd)}, ${ago(event.at)}`
  const who = event.agentId ? [`asked by its sub-agent ${event.agent || event.agentId}`] : []
  const body = [...who, ...whatIsAsked(ask, payload), ...howTo(id, ask)]
  // A terminal obeys some characters, and they could hide a part of the command.
  return [head, ...body.map((text) => `  ${escapeControls(text).replaceAll('\n', '\n  ')}`)].join(
    '\n',
  )
}

export function asJson({ event, ask, payload }: AnswerableQuestion): object {
  const { id, client, sessionId, cwd, at, agent } = event
  return {
    ...{ id, client, sessionId, cwd, askedAt: at, ...(agent && { agent }) },
    ...{ about: ask.about, tool: payload.tool_name, input: payload.tool_input },
    ...(ask.about === 'permission' && { rules: ask.rules.map(({ text }) => text) }),
    ...(ask.about === 'choices' && { questions: ask.questions }),
  }
}

function howTo(id: string, ask: Ask): string[] {
  const call = `hookbell answer ${id}`
  if (ask.about === 'plan') return [asTyped(`${call} deny 'REASON'; allow it where the agent asks`)]
  if (ask.about === 'choices') {
    const each = ask.questions.map(({ isMultiple }) => (isMultiple ? '1,2' : '1')).join('; ')
    return [asTyped(`${call} '${each}', by number or label; or deny 'REASON'`)]
  }
  const many = ask.rules.length > 1
  return [
    asTyped(`${call} allow, or deny 'REASON'`),
    ...ask.rules.map(({ text }, at) =>
      asTyped(`${call} always${many ? ` ${at + 1}` : ''}: ${text}`),
    ),
  ]
}
