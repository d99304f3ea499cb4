import { expect } from 'vitest'
import type { Dialog } from '../../../src/commands/init/dialog.ts'

/** A person who gives these answers in order. A list is typed one after the other until one is accepted. */
export function scripted(title: string, ...answers: (string | string[])[]) {
  const asked: string[] = []
  const told: string[] = []
  const faults: string[] = []
  const secrets = new Map<string, string>()
  const answer = (question: string, fault: (text: string) => string | undefined) => {
    asked.push(`${title}: ${question}`)
    const [next = []] = answers.splice(0, 1)
    for (const text of [next].flat()) {
      const wrong = fault(text)
      if (wrong === undefined) return Promise.resolve(text)
      faults.push(wrong)
    }
    throw new Error(`no answer to: ${question} (${faults.join('; ')})`)
  }
  const dialog: Dialog = {
    text: (question, { fault }) => answer(question, fault),
    secret: (question, fault) => answer(`${question} (hidden)`, fault),
    choose: async (question, choices) => {
      const chosen = await answer(question, () => undefined)
      expect(Object.keys(choices)).toContain(chosen)
      asked.push(...Object.values<string>(choices))
      return chosen as never
    },
    say: (text) => void told.push(text),
    store(variable, value) {
      secrets.set(variable, value)
      return `\${${variable}}`
    },
  }
  return { dialog, asked, told, faults, secrets }
}

/** What fits beside the line at the left, in a terminal of 60 columns. */
export const FITS = 57

/** What stands before a choice that can be ticked, and the column that stays free behind it. */
export const BOX = '◼ ...'
