import type { Message } from '../../api/index.ts'
import { paint } from '../../cli/output.ts'
import { wrapText } from '../../cli/wrap-text.ts'
import { cutText, oneLine } from '../../text/clean.ts'
import { asCount, asText, type Fields, fieldsOf, itemsOf, utcTime } from './fields.ts'

const INDENT = '  '

/**
 * Renders messages as a conversation: author and time, then the text, with one line per tool call and result. All
 * that an agent does between two messages of the user is one turn with one header. Lines are wrapped to the width.
 */
export function renderConversation(messages: readonly Message[], width = Infinity): string {
  const turns: Message[][] = []
  for (const message of messages) {
    const turn = turns.at(-1)
    if (turn && belongsTo(turn, message)) turn.push(message)
    else turns.push([message])
  }
  return turns.map((turn) => renderTurn(turn, width)).join('\n\n')
}

/** Sorts messages oldest first: the order of the service is not documented. */
export function sortMessages(messages: readonly Message[]): Message[] {
  return messages.toSorted((one, other) => timeOf(one) - timeOf(other))
}

/** Whether a message is meant to be shown to users. */
export function isForUsers(message: Message): boolean {
  const { visibility, isUserVisible, hiddenFromUserViews } = fieldsOf(message)
  return visibility !== 'llm_only' && isUserVisible !== false && hiddenFromUserViews !== true
}

/** The text of the messages, without tools and thoughts. */
export function renderText(messages: readonly Message[]): string {
  return messages.flatMap((message) => textsOf(fieldsOf(message))).join('\n\n')
}

function timeOf(message: Message): number {
  return asCount(fieldsOf(message).createdAt)
}

function belongsTo(turn: readonly Message[], message: Message): boolean {
  const [first, next] = [fieldsOf(turn[0]), fieldsOf(message)]
  if (first.role !== 'assistant' || hasFailed(first)) return false
  if (next.role === 'tool') return true
  return next.role === 'assistant' && next.modelId === first.modelId && !hasFailed(next)
}

/** Whether a message reports an error. For a tool, the line of its result shows that instead. */
function hasFailed({ role, isError }: Fields): boolean {
  return isError === true && role !== 'tool'
}

const colours: Readonly<Record<string, 'cyan' | 'green' | 'dim'>> = {
  user: 'cyan',
  assistant: 'green',
  tool: 'dim',
}

function renderTurn(turn: readonly Message[], width: number): string {
  const first = fieldsOf(turn[0])
  const { role, createdAt, modelId } = first
  const who = oneLine(asText(role)) || '?'
  const facts = [utcTime(createdAt), oneLine(asText(modelId))].filter(Boolean).join('  ')
  const head = [
    paint(['bold', colours[who] ?? 'yellow'], who),
    paint('dim', facts),
    ...(hasFailed(first) ? [paint('red', 'failed')] : []),
  ].join('  ')
  const lines = joinLines(turn.map((message) => linesOf(fieldsOf(message))))
  const body = lines.flatMap((line) => renderLine(line, width - INDENT.length))
  return [head, ...body].join('\n')
}

/** Joins the lines of messages. Only asides, such as tool calls, follow each other without a blank line. */
function joinLines(messages: readonly Line[][]): Line[] {
  const joined: Line[] = []
  for (const lines of messages) {
    const [last, first] = [joined.at(-1), lines[0]]
    if (last && first && !(last.isAside && first.isAside)) joined.push({ text: '', isAside: false })
    joined.push(...lines)
  }
  return joined
}

function renderLine({ text, isAside }: Line, width: number): string[] {
  if (isAside) return [INDENT + paint('dim', cutText(text, width))]
  const lines = wrapText(text, width).split('\n')
  return lines.map((line) => (INDENT + line).trimEnd())
}

/**
 * Shows the tool calls of the agent while the user waits. They go to stderr, since only the answer belongs to
 * stdout. Undefined if stderr is not a terminal.
 */
export function makeFollower() {
  const stream = process.stderr
  if (!stream.isTTY) return undefined
  const tell = (text: string) =>
    stream.write(`${paint('dim', cutText(text, stream.columns || 80))}\n`)
  const told = new Set<string>()
  tell('Waiting for the agent. Ctrl+C ends the waiting, not its work.')
  return ({ messages }: { messages: readonly Message[] }) => {
    for (const message of messages.filter(({ id }) => !told.has(id))) {
      told.add(message.id)
      for (const { text } of linesOf(fieldsOf(message)).filter(isCall)) tell(text)
    }
  }
}

function isCall({ text, isAside }: { text: string; isAside: boolean }): boolean {
  return isAside && text.startsWith('> ')
}

/** A line of text, or an aside: a tool call or result, a thought, an attachment, a hook. */
interface Line {
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
function textsOf({ content }: Fields): string[] {
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
