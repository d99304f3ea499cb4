import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { replaceFile } from '../../fs/durable.ts'
import { readQuietly } from '../../fs/read.ts'
import { withLock } from '../../fs/with-lock.ts'

const personSchema = z.object({
  channel: z.string(),
  /** What listened when this person was paired: another bot has other people. */
  listener: z.string(),
  person: z.string(),
  chat: z.string(),
  /** Unix ms. */
  at: z.number(),
})

const fileSchema = z.object({ format: z.literal(1), people: z.array(personSchema) })

/** Somebody who may answer on a channel. */
export type Person = z.output<typeof personSchema>

const MAX_PEOPLE = 50

/** Fails closed: if the file cannot be read, or others could write it, nobody may answer. */
export function readPeople(state: string): readonly Person[] {
  const path = pathOf(state)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0) return []
  try {
    return fileSchema.parse(JSON.parse(readQuietly(path) ?? '')).people
  } catch {
    return []
  }
}

/** @throws the system error */
export function addPerson(state: string, person: Person) {
  const isSame = (one: Person) => one.channel === person.channel && one.person === person.person
  change(state, (people) => [...people.filter((one) => !isSame(one)), person].slice(-MAX_PEOPLE))
}

/** Removes one person, or all people of a channel. @returns how many @throws the system error */
export function removePeople(state: string, channel: string, person?: string): number {
  let removed = 0
  change(state, (people) => {
    const left = people.filter(
      (one) => one.channel !== channel || (person !== undefined && one.person !== person),
    )
    removed = people.length - left.length
    return left
  })
  return removed
}

function change(state: string, how: (people: readonly Person[]) => Person[]) {
  const path = pathOf(state)
  withLock(path, () => {
    replaceFile(path, `${JSON.stringify({ format: 1, people: how(readPeople(state)) }, null, 2)}\n`)
  })
}

function pathOf(state: string): string {
  return join(state, 'answer-people.json')
}
