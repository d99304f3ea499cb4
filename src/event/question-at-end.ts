import { type Block, isItem, withIntroduction } from './answer-blocks.ts'
import { asks, asksInWords, endsAsking } from './asking.ts'
import { areChoices } from './choices.ts'

const CHOICE = /\b(which|options?|prefer|choose|pick|one of|these|those|either)\b/i

const INTRODUCTION = /\b(options|choices|ways|approaches|alternatives|possibilities|either)\b/i

/** A longer text below a question is not about that question. */
const MAX_REMARK = 300

/** What the agent would choose itself. */
const ADVICE =
  /\b(recommend|suggest|empfehle|empfehlung|(je|j’|j') ?recommande|recomiendo|recomendación|recomendo|consiglio|raccomando|aanraden)|рекоменд|おすすめ|推奨|我建议|推荐|추천/i

/** The question at the end of an answer, with its choices; none if nothing is asked. */
export function questionAtEnd(blocks: readonly Block[]): readonly Block[] {
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
