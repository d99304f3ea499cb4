import { cutText } from '../text/clean.ts'
import {
  areChoices,
  type Block,
  blocksOf,
  inOrder,
  isItem,
  joinBlocks,
  withIntroduction,
} from './answer-blocks.ts'

const CHOICE = /\b(which|options?|prefer|choose|pick|one of|these|those|either)\b/i

const INTRODUCTION = /\b(options|choices|ways|approaches|alternatives|possibilities|either)\b/i

/** A longer text below a question is not about that question. */
const MAX_REMARK = 300

/** What the agent would choose itself. */
const ADVICE =
  /\b(recommend|suggest|empfehle|empfehlung|(je|j’|j') ?recommande|recomiendo|recomendación|recomendo|consiglio|raccomando|aanraden)|рекоменд|おすすめ|推奨|我建议|推荐|추천/i

/** "Which one" asks only at the beginning of a sentence: "it shows which of them failed" is not a question. */
const REQUEST =
  /\b((let me know|tell me) (which|whether|what|how)|let me know your|please (confirm|choose|decide|tell me)|(shall|should|may|can) i\b|(do|would) you (want|like|prefer)|(?<![\w,;)] )(which (one|of|option)|(reply|answer) with)|wait(ing)? for your)\b/i

/** A question mark at the end of a sentence. Chinese and Japanese have no space between sentences. */
const MARK =
  /[？؟՞፧]|\?(?=["'”’»)\]*_~!?]*(\s|$|\p{Extended_Pictographic}|\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}))/u

/** The question mark of Greek looks like a semicolon, which Greek does not have. */
const GREEK = /\p{sc=Greek}["'”’»)\]*_]*[;\u037e](\s|$)/u

/** Questions that have no mark: polite ones in Japanese and Korean, and all in Thai. */
const UNMARKED =
  /(ます|ません|です|でしょう|ましょう)か([。．]|$)|(까요|나요|습니까)[.。]?$|(ไหม|มั้ย|หรือไม่|หรือเปล่า)(คะ|ครับ)?$/m

/** About as much as a phone shows without expanding the notification. */
const MAX_LENGTH = 600

/** The part of a long answer that is worth a notification. Markdown is kept. */
export interface Headline {
  text: string
  /** Whether the agent asks something, so that it waits for an answer. */
  isQuestion: boolean
  /** The rest of the answer, in its order; '' if there is none. */
  rest: string
}

/**
 * Selects the question at the end of an answer, with its choices. Of an answer that asks nothing, its text in its order, the
 * middle left out.
 */
export function headline(lastMessage: string, maxLength = MAX_LENGTH): Headline {
  const all = blocksOf(lastMessage)
  const blocks = withoutGoodbye(all)
  const question = questionAtEnd(blocks)
  if (question.length === 0) return withoutQuestion(blocks, maxLength)
  const whole = joinBlocks(question)
  const others = blocks.filter(
    (block, index) => !question.includes(block) && !isHeadingOf(block, question, blocks[index + 1]),
  )
  const rest = whole.length > maxLength ? all : others
  const cut = beginsWithQuestion(question) ? cutText : cutStart
  return { text: cut(whole, maxLength), isQuestion: true, rest: joinBlocks(rest) }
}

function withoutQuestion(blocks: readonly Block[], maxLength: number): Headline {
  const spoken = blocks.filter(({ type }) => type !== 'code')
  const text = inOrder(spoken.length > 0 ? spoken : blocks, maxLength)
  const rest = joinBlocks(blocks.filter((block) => !text.includes(block.text)))
  return { text, isQuestion: false, rest }
}

/** A heading without the text below it would seem to belong to other text. */
function isHeadingOf({ type }: Block, chosen: readonly Block[], next: Block | undefined): boolean {
  return type === 'heading' && next !== undefined && chosen.includes(next)
}

/** Of a longer answer only the end is searched. */
const MAX_SEARCHED = 16 * 1024

/** Whether an answer ends with a question, so that the agent waits for a person. */
export function asksAtEnd(lastMessage: string): boolean {
  return questionAtEnd(withoutGoodbye(blocksOf(lastMessage.slice(-MAX_SEARCHED)))).length > 0
}

const GOODBYE =
  /^(please )?(let me know if (you|there|anything)|feel free to|happy to|i'?m happy to|is there anything else|anything else|just let me know)\b[^\n]{0,160}$/i

/** Drops a polite phrase at the end, such as "let me know if ...", which is neither a question nor a result. */
function withoutGoodbye(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1)
  const isGoodbye = blocks.length > 1 && last?.type === 'text' && GOODBYE.test(last.text)
  return isGoodbye ? blocks.slice(0, -1) : blocks
}

/** Whether a question is at the start, with what it is about below it. */
function beginsWithQuestion([question, ...below]: readonly Block[]): boolean {
  return question !== undefined && below.length > 0 && asks(question.text)
}

/** Truncates at the start, because a question is at the end. Drops whole lines where possible. */
function cutStart(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const lines = text.split('\n')
  while (lines.length > 1 && lines.join('\n').length > maxLength - 2) lines.shift()
  const rest = lines.join('\n')
  if (rest.length <= maxLength - 2) return `…\n${rest}`
  return `…${rest.slice(rest.length - maxLength + 1).toWellFormed()}`
}

/** The question at the end of an answer, with its choices; none if nothing is asked. */
function questionAtEnd(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1)
  const before = blocks.at(-2)
  if (!last) return []
  // The head of a column, such as `Fixed?`, asks nobody.
  if (!/^(table|code)$/.test(last.type) && asks(last.text))
    return last.type === 'text' ? [last, ...choicesAbove(blocks)] : withIntroduction(last, before)
  if (/^(list|table)$/.test(last.type) && before && before.type !== 'code' && asks(before.text)) {
    return [before, last]
  }
  return last.type === 'text' ? questionAboveRemark(blocks) : questionAboveCode(blocks)
}

/** A question with the code below it that it is about. */
function questionAboveCode(blocks: readonly Block[]): readonly Block[] {
  const at = lastTextIn(blocks)
  const [question, ...below] = blocks.slice(at)
  const isAbout = question && below.some(({ type }) => type === 'code') && isAsking(question)
  return isAbout ? [question, ...below] : []
}

/** A question with its choices above what the agent says of them, such as "I recommend the first." */
function questionAboveRemark(blocks: readonly Block[]): readonly Block[] {
  const [above, remark] = [blocks.slice(0, -1), blocks.at(-1)?.text ?? '']
  if (remark.length > MAX_REMARK || /^\W*(yes|no)\b/i.test(remark)) return []
  const questions = questionsAbove(above, remark)
  if (questions.length > 0) return [...questions, ...blocks.slice(-1)]
  const [question, ...below] = above.slice(lastTextIn(above))
  if (!question || !isAsking(question)) return []
  const isOpen =
    asksInWords(question.text) ||
    ADVICE.test(remark) ||
    areChoices(question.text, linesOf(below.filter(isList)))
  return isOpen ? [question, ...below, ...blocks.slice(-1)] : []
}

/** Words around a list of questions for a person, as opposed to one of questions that the agent has answered. */
const TO_A_PERSON = /\b(you|your|need to know|clarif\w+|questions?|answers?|decide|confirm)\b/i

function questionsAbove(blocks: readonly Block[], remark: string): readonly Block[] {
  const [list, before] = [blocks.at(-1), blocks.at(-2)]
  if (list?.type !== 'list' || !TO_A_PERSON.test(`${before?.text}\n${remark}`)) return []
  const items = list.text.split('\n').filter(isItem)
  return items.length > 0 && items.every(endsAsking) ? withIntroduction(list, before) : []
}

function isAsking({ type, text }: Block): boolean {
  return type !== 'code' && (endsAsking(text) || asksInWords(text))
}

function lastTextIn(blocks: readonly Block[]): number {
  return Math.max(
    0,
    blocks.findLastIndex(({ type }) => type === 'text' || type === 'heading'),
  )
}

/** The list that a question at the end chooses from. It is shown below the question, which a phone shows first. */
function choicesAbove(blocks: readonly Block[]): readonly Block[] {
  const [last, ...above] = blocks.toReversed()
  const end = above.findIndex((one) => !isList(one))
  const list = above.slice(0, Math.max(0, end))
  if (!last || !(CHOICE.test(last.text) || areChoices(last.text, linesOf(list)))) return []
  if (end < 0) return above.reverse()
  // Otherwise this may be the list of the last choice only, or the choices behind something between them.
  const isWhole = INTRODUCTION.test(above[end]?.text ?? '')
  return isWhole || !above.slice(end).some(isList) ? above.slice(0, end).reverse() : []
}

function linesOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap(({ text }) => text.split('\n'))
}

function isList({ type }: Block): boolean {
  return type === 'list'
}

/** Whether a sentence ends with a question mark, or a phrase asks for something. Inline code does not count. */
function asks(text: string): boolean {
  return asksInWords(text) || isMarked(spokenIn(text))
}

/** Whether a phrase asks for something, so that the question is not one that the agent answers itself. */
function asksInWords(text: string): boolean {
  return REQUEST.test(spokenIn(text))
}

/** Whether the last sentence is a question. */
function endsAsking(text: string): boolean {
  const sentences = spokenIn(text)
    .trimEnd()
    .split(/(?<=[.!?。！？])\s+|\n/)
  return isMarked(sentences.at(-1) ?? '')
}

function isMarked(spoken: string): boolean {
  return MARK.test(spoken) || GREEK.test(spoken) || UNMARKED.test(spoken)
}

function spokenIn(text: string): string {
  return text.replace(/`[^`\n]*`/g, '').replace(/https?:\/\/\S+/g, '')
}
