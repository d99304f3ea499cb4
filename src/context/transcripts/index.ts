import type { TranscriptFormat } from '../../clients/define.ts'
import type { Payload } from '../../event/payload.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { droid } from './droid.ts'
import type { Entry, TranscriptReader } from './entry.ts'
import { gemini } from './gemini.ts'
import { kimi } from './kimi.ts'
import { qwen } from './qwen.ts'

/** Adding a format: one file beside this one, its line here, and a fixture for the shared suite. */
export const readers: Readonly<Record<Exclude<TranscriptFormat, 'none'>, TranscriptReader>> = {
  claude,
  codex,
  copilot,
  droid,
  gemini,
  kimi,
  qwen,
}

/** If the format is not known, uses the reader that finds the most entries. */
export function readRecords(records: readonly Payload[], format?: TranscriptFormat): Entry[] {
  if (format === 'none') return []
  if (format) return readers[format].read(records)
  const tries = Object.values(readers).map((reader) => reader.read(records))
  return tries.reduce((best, one) => (one.length > best.length ? one : best), [])
}
