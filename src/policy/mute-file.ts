import { rmSync } from 'node:fs'
import * as z from 'zod'
import { replaceFile } from '../fs/durable.ts'
import { isMissing, readQuietly } from '../fs/read.ts'
import { isInForce, type Mute, mutePath } from './mutes.ts'

const MAX_MUTES = 100

const fileSchema = z.object({
  // Before 3, a mute silenced questions too. An earlier version reads no other format, and mutes nothing.
  format: z.literal([1, 2, 3]),
  mutes: z.array(
    z.object({
      until: z.number(),
      session: z.string().min(1).exactOptional(),
      project: z.string().min(1).exactOptional(),
      kind: z.string().min(1).exactOptional(),
      questions: z.literal(true).exactOptional(),
    }),
  ),
})

/** Fails open: if the file cannot be read, nothing is muted. */
export function readMutes(stateDir: string): readonly Mute[] {
  return readWhole(mutePath(stateDir)) ?? []
}

/** Why nothing is muted although somebody muted something; undefined if the file is whole, or missing. */
export function muteProblem(stateDir: string): string | undefined {
  const path = mutePath(stateDir)
  if (isMissing(path) || readWhole(path)) return undefined
  return `${path} cannot be read, so nothing is muted. Remove it, then mute again`
}

function readWhole(path: string): readonly Mute[] | undefined {
  try {
    return fileSchema.parse(JSON.parse(readQuietly(path) ?? '')).mutes
  } catch {
    return undefined
  }
}

/** What is muted now; the same mute is usually in each folder. */
export function mutesInForce(folders: readonly string[], now: number): Mute[] {
  const mutes = folders.flatMap((folder) =>
    readMutes(folder).filter((mute) => isInForce(mute, now)),
  )
  return [...new Map(mutes.map((mute) => [JSON.stringify(mute), mute])).values()]
}

/** Replaces all mutes and drops expired ones. @throws the system error */
export function writeMutes(stateDir: string, mutes: readonly Mute[], now: number) {
  const path = mutePath(stateDir)
  const current = mutes.filter((mute) => isInForce(mute, now)).slice(-MAX_MUTES)
  if (current.length === 0) return rmSync(path, { force: true })
  replaceFile(path, JSON.stringify({ format: 3, mutes: current }))
}
