import type { Payload } from '../../event/payload.ts'

/** Numbers of tokens; `input` without those from a cache. */
export interface Tokens {
  input: number
  output: number
}

export type Outcome = 'completed' | 'failed' | 'interrupted'

/** The content of a transcript's lines, in one form for all formats. */
export type EntryContent =
  /** A message of the person; with `isOwn` one by which the client continues by itself, with its text if the agent wrote it. */
  | { type: 'prompt'; text: string; isOwn?: true }
  /** A message of the agent to the person. */
  | { type: 'answer'; text: string }
  /** A plan with which a turn ends, and the question that the client asks about it. */
  | { type: 'plan'; text: string }
  /** A call of a tool, which may still need permission. */
  | { type: 'call'; id: string; name: string; input: unknown }
  /** The end of that call, also by refusal. */
  | { type: 'result'; id: string }
  /** A question was answered. */
  | { type: 'replied' }
  /** Tokens of one call of the model; a later entry with the same `id` replaces this one. */
  | { type: 'usage'; id: string; tokens: Tokens }
  | { type: 'end'; outcome: Outcome; reason: string }
  /** The turn would have ended, but a hook made the agent go on. */
  | { type: 'refusedEnd' }
  /** A prompt was added to those that wait for the end of the turn, or one of them or all were removed. */
  | { type: 'queue'; change: 'added' | 'removed' | 'emptied' }
  /** A sub-agent runs in the background from here on, or is over; with the id '' all of them are. */
  | { type: 'agentStarted' | 'agentOver'; id: string }
  /** From here on, requests for permission are decided by a person, or by the client itself. */
  | { type: 'decider'; isClient: boolean }
  | {
      type: 'session'
      title?: string
      model?: string
      branch?: string
      isHeadless?: boolean
      /** The whole session is that of a sub-agent. */
      isSubagent?: true
      /** The whole session is a review of Codex, at whose end no hook runs. */
      isReview?: true
    }

/** Unix ms; undefined where the line has no time of its own. */
export type Entry = EntryContent & { at: number | undefined }

/** A file beside the transcript with more facts about the session. */
interface Sidecar {
  pathOf(transcriptPath: string): string
  read(text: string): { title?: string; model?: string; isHeadless?: boolean }
}

/** Reads the transcripts of one client. Skips lines of unknown types. */
export interface TranscriptReader {
  /** Takes the lines in order, so that later ones can replace earlier ones. */
  read(records: readonly Payload[]): Entry[]
  sidecar?: Sidecar
}
