/** Breaks a line between words so that it fits; the parts keep its indentation. A word that does not fit stays whole. */
export function wrapLine(line: string, width: number): string[] {
  const [indent = ''] = /^\s*/.exec(line) ?? []
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const end = breakAt(rest, indent.length, width)
    if (end === undefined) break
    lines.push(rest.slice(0, end).trimEnd())
    rest = indent + rest.slice(end).trimStart()
  }
  return [...lines, rest]
}

/** The end of the last word that fits, or else of the first word. */
function breakAt(line: string, start: number, width: number): number | undefined {
  const last = line.lastIndexOf(' ', width)
  if (last > start) return last
  const next = line.indexOf(' ', Math.max(width, start + 1))
  return next < 0 ? undefined : next
}
