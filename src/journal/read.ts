import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Record, recordSchema } from './record.ts'
import { journalFiles } from './write.ts'

/** All records, oldest first, one at a time. Lines that a crash cut short are passed over. */
export async function* readJournal(state: string): AsyncGenerator<Record> {
  for (const path of journalFiles(state)) {
    if (!existsSync(path)) continue
    for await (const line of createInterface({ input: createReadStream(path) })) {
      const entry = parseLine(line)
      if (entry) yield entry
    }
  }
}

function parseLine(line: string): Record | undefined {
  try {
    return recordSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
