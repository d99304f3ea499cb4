import { cutText, oneLine } from '../../text/clean.ts'
import { asText, type Fields, fieldsOf, itemsOf } from './fields.ts'

/** A line of text, or an aside: a tool call or result, a thought, an attachment, a hook. */
export interface Line {
  text: string
  isAside: boolean
}

/** The lines of a message. Trusts no types: a service may send anything in any field. */
export function linesOf(message: Fields): Line[] {
  const { content, chatCompletionReasoningContent: reasoning, role, isError } = message
  const hasFailed = role === 'tool' && isError === true
  const lines = [
    ...(typeof reasoning === 'string' ? [aside(thought(reasoning))] : []),
    ...blocksOf(content).flatMap((block) => linesOfBlock(block, hasFailed)),
    ...linesOfHook(message),
  ]
  return lines.length > 0 ? lines : [aside('(nothing)')]
}

/** The texts of a message, without tools and thoughts. */
export function textsOf({ content }: Fields): string[] {
  return blocksOf(content).flatMap((block) => (block.type === 'text' ? [asText(block.text)] : []))
}

function blocksOf(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return itemsOf(content)
}

function linesOfBlock(block: Fields, hasFailed: boolean): Line[] {
  switch (block.type) {
    case 'text':
      return asText(block.text)
        .split('\n')
        .map((text) => ({ text, isAside: false }))
    case 'tool_use':
      return [aside(`> ${asText(block.name) || 'tool'} ${inputOf(block.input)}`)]
    case 'tool_result':
      return [aside(`< ${resultOf(block, hasFailed)}`)]
    case 'thinking':
      return [aside(thought(asText(block.thinking)))]
    case 'redacted_thinking':
      return [aside(thought('not shown'))]
    default:
      return [aside(attachment(block))]
  }
}

/** A single input is shown without its name, several are shown with their names. */
function inputOf(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return asText(input)
  const entries = Object.entries(input)
  if (entries.length === 1) return asText(entries[0]?.[1])
  return entries.map(([name, value]) => `${name}: ${asText(value)}`).join(', ')
}

/** The text of a tool result, which may be text or blocks. */
function resultOf({ content, isError }: Fields, hasFailed: boolean): string {
  const parts = Array.isArray(content) ? itemsOf(content).map(partOf) : [asText(content)]
  const failure = hasFailed || isError === true ? 'failed: ' : ''
  return failure + (parts.join(' ') || '(nothing)')
}

function partOf(block: Fields): string {
  return block.text === undefined ? attachment(block) : asText(block.text)
}

function thought(text: string): string {
  return `(thinking) ${text}`
}

/** The type, name, media type and size of an attachment, as far as they are known. */
function attachment({ type, name, source }: Fields): string {
  const { mediaType, media_type = mediaType, data } = fieldsOf(source)
  const what = [asText(type) || 'something', asText(name)].filter(Boolean).join(' ')
  const facts = [asText(media_type), typeof data === 'string' ? sizeOf(data) : '']
  const known = facts.filter(Boolean).join(', ')
  return known ? `[${what}: ${known}]` : `[${what}]`
}

/** The decoded size of base64, which needs four characters for three bytes. */
function sizeOf(data: string): string {
  const bytes = Math.floor((data.replace(/=+$/, '').length * 3) / 4)
  if (bytes < 1024) return `${bytes} bytes`
  const kibibytes = bytes / 1024
  return kibibytes < 1024 ? `${Math.round(kibibytes)} KiB` : `${(kibibytes / 1024).toFixed(1)} MiB`
}

function linesOfHook({ hookEventName, hookStatus, hookResults }: Fields): Line[] {
  if (hookEventName === undefined) return []
  const results = itemsOf(hookResults)
  const codes = results.map(({ exitCode }) => `exit ${asText(exitCode) || 'unknown'}`)
  const said = results.filter(({ exitCode }) => exitCode !== 0).map(({ stderr }) => asText(stderr))
  const what = ['hook', asText(hookEventName), asText(hookStatus), ...codes, ...said]
  return [aside(what.filter(Boolean).join(' '))]
}

const LONGEST_ASIDE = 100

function aside(text: string): Line {
  return { text: cutText(oneLine(text), LONGEST_ASIDE), isAside: true }
}
