/** Moves objects that occur more than once in generated code into constants. */
export function shareObjects(body: string): string {
  const found = body.match(/(?<=: )\{ [^{}]+ \}/g) ?? []
  const twice = [...new Set(found)].filter((text) => body.split(text).length > 2)
  return twice.reduce((text, literal, at) => {
    const name = `object${at}`
    return text
      .replaceAll(literal, name)
      .replace('export const', () => `const ${name} = ${literal}\n\nexport const`)
  }, body)
}

/** Moves what the templates in generated code have in common into constants, where that is shorter. */
export function shareTexts(body: string): string {
  // Every other part is the text of a template.
  const parts = body.split('`')
  const { texts, shared } = compress(parts.filter((_, at) => at % 2 === 1))
  const template = (text: string) => {
    const written = text.replaceAll(MARKS, (mark) => `\${text${numberOf(mark)}}`)
    // A template that only contains a name becomes that name.
    return `\`${written}\``.replace(/^`\${(\w+)}`$/, '$1')
  }
  const constants = inOrder(shared).map(
    (number) => `const text${number} = ${template(shared[number] ?? '')}\n\n`,
  )
  const code = parts.map((part, at) => (at % 2 === 1 ? template(texts[(at - 1) / 2] ?? '') : part))
  return constants.join('') + code.join('')
}

// While texts are compared, a character that none of them has stands for a constant, so that constants share texts as well.
const FIRST_MARK = 0xe000
const MARKS = /[\ue000-\uf8ff]/g
const numberOf = (mark: string) => mark.charCodeAt(0) - FIRST_MARK

/** The texts with marks for what was moved into `shared`, until nothing is left to gain. */
function compress(given: readonly string[]) {
  const shared: string[] = []
  let all = given.join('`')
  for (let run = bestRun(all); run; run = bestRun(all)) {
    const mark = String.fromCharCode(FIRST_MARK + shared.length)
    shared.push(run)
    all = `${all.replaceAll(run, mark)}\`${run}`
  }
  const written = all.split('`')
  return { texts: written.slice(0, given.length), shared: written.slice(given.length) }
}

/** The numbers of the constants, each after those that it refers to. */
function inOrder(shared: readonly string[]): number[] {
  const order = new Set<number>()
  const add = (number: number) => {
    for (const mark of shared[number]?.match(MARKS) ?? []) add(numberOf(mark))
    order.add(number)
  }
  for (const number of shared.keys()) add(number)
  return [...order]
}

/** The text whose constant saves most, if one saves anything. It begins and ends with whole words. */
function bestRun(all: string): string | undefined {
  const starts = [...all.matchAll(/\w+|[^\w`]/g)].map(({ index }) => all.slice(index))
  starts.sort()
  let best: string | undefined
  let most = 0
  for (const [at, text] of starts.entries()) {
    const run = commonStart(text, starts[at + 1] ?? '')
    const gain = run.length > REFERENCE ? saved(run, all.split(run).length - 1) : 0
    if (gain > most) [best, most] = [run, gain]
  }
  return best
}

/** What two texts begin with, up to the end of a template, without a part of a word at its end. */
function commonStart(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length] && one[length] !== '`') length += 1
  const isWithinWord = /^\w\w$/.test(one.slice(length - 1, length + 1))
  const isWithinOther = /^\w\w$/.test(other.slice(length - 1, length + 1))
  const text = one.slice(0, length)
  return isWithinWord || isWithinOther ? text.replace(/\w+$/, '') : text
}

// Lengths in the minified bundle: of `${ab}`, and of the declaration without its text.
const REFERENCE = 5
const DECLARATION = 6

/** How many characters a constant saves for a text that occurs `times` times. */
function saved(text: string, times: number): number {
  return times * (text.length - REFERENCE) - (text.length + DECLARATION)
}
