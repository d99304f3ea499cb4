/**
 * Counts the work of searching texts: the characters that patterns pass, and one for each attempt at a place. Counted
 * instead of timed, so that a busy machine does not matter.
 */
export function stepsOf(act: () => void): number {
  let steps = 0
  const { exec } = RegExp.prototype
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0
    const match = exec.call(this, text)
    const end = match ? match.index + match[0].length : this.sticky ? from : text.length
    steps += 1 + Math.max(0, end - from)
    return match
  }
  try {
    act()
  } finally {
    RegExp.prototype.exec = exec
  }
  return steps
}
