import { Drop } from 'liquidjs'
import type { Token, Tokens } from 'marked'
import type { Markup } from '../notifiers/define.ts'
import { listOfLines } from '../text/list.ts'
import { redact } from '../text/redact/redact.ts'
import { displayWidth } from '../text/width.ts'

/** Text without markup, for desktops, terminals, phones and the text part of mails. */
export const plain: Markup = {
  name: 'plain',
  escape: (text) => text,
  parts: {
    bold: (inner) => inner,
    italic: (inner) => inner,
    strike: (inner) => inner,
    code: (text) => text,
    codeBlock: (text) => text,
    address: (text) => text,
    paragraph: (inner) => inner,
    quote: (inner) => inner.replace(/^/gm, '> '),
    list: listOfLines,
    moment: (_, words) => words,
  },
}

/** Reads Markdown into the tokens of `marked`. */
export type ReadMarkdown = (text: string) => Token[]

const MARKED = /[*_`~#|[\]\\]|:\/\/|^[ \t]*(?:[-+>]|\d{1,9}[.)])\s|^(?: {4}|\t)|^[=-]+[ \t]*$/m

/** Whether one of the texts may contain Markdown. In doubt yes. */
export function mayHaveMarkdown(texts: readonly string[]): boolean {
  return texts.some((text) => MARKED.test(text))
}

/** Loaded on first use: the parser is a twentieth of the worker's code, and many texts do not need it. */
export async function loadMarkdown(): Promise<ReadMarkdown> {
  const { lexer } = await import('marked')
  return (text) => lexer(text)
}

/**
 * An agent's Markdown, rendered for each format. Nothing in it becomes live: a link is shown as text and URL, HTML as
 * source text. Without a reader the text is shown unchanged.
 */
export function fromMarkdown(
  text: string,
  read: ReadMarkdown | undefined,
  secrets: readonly string[],
): Formatted {
  const tokens = read ? tokensOf(text, read) : undefined
  if (!tokens) return asItIs(text)
  const words = blocks(tokens, plain)
  const redacted = redact(words, secrets)
  // Markdown inside a key had hidden the key from earlier redaction.
  if (redacted !== words) return asItIs(redacted)
  return new Formatted((markup) => (markup === plain ? words : blocks(tokens, markup)))
}

/** Text that is shown as a code block, such as a command. */
export function asCode(text: string): Formatted {
  return new Formatted(({ parts }) => (text === '' ? '' : parts.codeBlock(text)))
}

/** Text that is not Markdown, in paragraphs. */
function asItIs(text: string): Formatted {
  return new Formatted((markup) =>
    text
      .split(/\n{2,}/)
      .filter((one) => one.trim() !== '')
      .map((one) => markup.parts.paragraph(markup.escape(one)))
      .join('\n\n'),
  )
}

/** Undefined if the text is nested too deeply for the stack: then it is not treated as Markdown. */
function tokensOf(text: string, read: ReadMarkdown): Token[] | undefined {
  try {
    const tokens = read(text)
    blocks(tokens, plain)
    return tokens
  } catch {
    return undefined
  }
}

function blocks(tokens: readonly Token[], markup: Markup): string {
  return tokens
    .map((token) => block(token, markup))
    .filter((text) => text.trim() !== '')
    .join('\n\n')
}

function block(token: Token, markup: Markup): string {
  const { parts } = markup
  switch (token.type) {
    case 'space':
    case 'def':
      return ''
    case 'heading': {
      // Bold inside bold would end the outer bold.
      const inner = inline(token.tokens ?? [], { ...markup, parts: { ...parts, bold: same } })
      return parts.paragraph(parts.bold(inner))
    }
    case 'code':
      return parts.codeBlock(token.text)
    case 'blockquote':
      return parts.quote(blocks(token.tokens ?? [], markup))
    case 'list':
      return listOf(token as Tokens.List, markup)
    case 'table':
      return parts.codeBlock(tableOf(token as Tokens.Table))
    case 'hr':
      return parts.paragraph('—')
    case 'html':
      return parts.paragraph(markup.escape(token.raw.trim()))
    case 'paragraph':
      return parts.paragraph(inline(token.tokens ?? [], markup))
    default:
      return inline([token], markup)
  }
}

function listOf({ items, ordered, start }: Tokens.List, markup: Markup): string {
  const texts = items.map(({ tokens }) =>
    tokens
      .map((token) => block(token, markup))
      .filter((text) => text.trim() !== '')
      .join('\n')
      .replace(/^(☑|☐)\n/, '$1 '),
  )
  return markup.parts.list(texts, ordered ? Number(start) : undefined)
}

/** Aligns the columns for a font of fixed width. */
function tableOf({ header, rows }: Tokens.Table): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => inline(cell.tokens, plain)))
  const widths = header.map((_, column) =>
    Math.min(40, Math.max(...cells.map((row) => displayWidth(row[column] ?? '')))),
  )
  const lines = cells.map((row) =>
    row
      .map(
        (cell, column) =>
          cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cell))),
      )
      .join('  ')
      .trimEnd(),
  )
  return lines.join('\n')
}

function inline(tokens: readonly Token[], markup: Markup): string {
  return tokens.map((token) => inlinePart(token, markup)).join('')
}

function inlinePart(token: Token, markup: Markup): string {
  const { parts } = markup
  const inner = () => inline(('tokens' in token && token.tokens) || [], markup)
  switch (token.type) {
    case 'strong':
      return parts.bold(inner())
    case 'em':
      return parts.italic(inner())
    case 'del':
      return parts.strike(inner())
    case 'codespan':
      return parts.code(token.text)
    case 'br':
      return '\n'
    case 'checkbox':
      return token.checked ? '☑' : '☐'
    case 'link':
      return withAddress(inner(), token as Tokens.Link, markup)
    case 'image':
      return withAddress(markup.escape(token.text), token as Tokens.Image, markup)
    case 'text':
      return 'tokens' in token && token.tokens ? inner() : markup.escape(token.text)
    case 'escape':
      return markup.escape(token.text)
    default:
      return markup.escape(token.raw)
  }
}

/** Shows the URL of a link, so that no link text can hide where it leads. */
function withAddress(
  inner: string,
  { text, href }: { text: string; href: string },
  markup: Markup,
) {
  const isSame = href === text || href === `mailto:${text}` || href === `http://${text}`
  if (isSame) return markup.parts.address(text)
  const address = markup.parts.address(href)
  return text === '' ? address : `${inner} (${address})`
}

function same(inner: string): string {
  return inner
}

/** A template value that each format renders differently. Comparisons and filters use its plain text. */
export class Formatted extends Drop {
  readonly #render: (markup: Markup) => string
  #plain: string | undefined

  /** @param render returns the text in a markup language, escaped for it */
  constructor(render: (markup: Markup) => string) {
    super()
    this.#render = render
  }

  in(markup: Markup): string {
    return markup === plain ? this.valueOf() : this.#render(markup)
  }

  override valueOf(): string {
    this.#plain ??= this.#render(plain)
    return this.#plain
  }
}
