/** The letter of an item, as in `A) ` or `- **B:** `. */
const LETTERED =
  /^(?:[-*+•]\s+)?[*_]{0,2}[（(]?[A-Za-z](?:[.)）:：][*_]{0,2}|[*_]{1,2}[.)）:：])(?:\s|$|(?<=[）：]))/

/** The same word at the start of each item, with a letter or number, as in `Variante A: ` or `- **方案一**：`. */
const NAMED =
  /^(?:[-*+•]\s+|\d{1,2}[.)]\s+)?[*_]{0,2}(\p{L}{2,20}?|\p{Lo})\s?(?:[A-Z]|\d{1,2}|[一二三四五甲乙丙丁])[*_]{0,2}\s?[*_]{0,2}[:：.)）(（–—-]/u

const NUMBER = /^(\d{1,2})(?:[.)]\s|[、．])|^（(\d{1,2})）|^(\d)\ufe0f?\u20e3/

/** Whether a list is one of choices in any language: by how its items are marked, and whether the question names two. */
export function areChoices(question: string, lines: readonly string[]): boolean {
  const items = lines.filter((line) => /^\S/.test(line))
  if (items.length < 2) return false
  if (items.every((item) => LETTERED.test(item))) return true
  if (shareName(items)) return true
  const named = new Set(question.match(/(?<![\w.])\d{1,2}(?![\w%]|\.\d)/g))
  const numbers = items.map((item) => NUMBER.exec(item)?.slice(1).find(Boolean))
  return numbers.filter((number) => number && named.has(number)).length > 1
}

/** Whether lines begin with the same word and a letter or number each, as in `Option A: ...` above `Option B: ...`. */
export function shareName(lines: readonly string[]): boolean {
  const [name, ...others] = lines.map((line) => NAMED.exec(line)?.[1])
  return name !== undefined && others.length > 0 && others.every((other) => other === name)
}
