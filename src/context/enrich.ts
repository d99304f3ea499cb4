import { setTimeout as sleep } from 'node:timers/promises'
import { clients, isClientName } from '../clients/index.ts'
import { transcriptRoots } from '../clients/paths.ts'
import { homeDir } from '../config/paths.ts'
import type { AgentEvent } from '../event/event.ts'
import { projectName } from './project.ts'
import { readTranscript, type TranscriptFacts } from './transcript.ts'

/** Clients write the last lines of a turn a little after they ran the hook. */
const LATE_BY_MS = 300
const LOOK_EVERY_MS = 50

/** An event with what could be found out around it. */
export interface EnrichedEvent extends AgentEvent {
  /** '' where unknown. */
  project: string
}

interface Around {
  projects: Map<string, Promise<string>>
  now(): number
}

/** Adds the project's name, and for a finished turn its duration and last message. Never fails an event. */
export async function enrich(event: AgentEvent, around: Around): Promise<EnrichedEvent> {
  const project = await remember(around.projects, event.cwd)
  if (event.kind !== 'done' || !event.transcriptPath) return { ...event, project }
  const { lastMessage, promptedAt } = await readInTime(event, around)
  return {
    ...event,
    project,
    lastMessage: event.lastMessage || lastMessage,
    durationMs: event.durationMs ?? durationSince(promptedAt, event.at),
  }
}

/** Looks again for a short while where the transcript does not have the end of the turn yet. */
async function readInTime(event: AgentEvent, { now }: Around): Promise<TranscriptFacts> {
  const roots = rootsOf(event.client)
  const read = () => readTranscript(event.transcriptPath, roots, event.at)
  let facts = await read()
  while (facts.isLate && !event.lastMessage && now() < event.at + LATE_BY_MS) {
    await sleep(LOOK_EVERY_MS)
    facts = await read()
  }
  return facts
}

/** A worker sees the same few folders again and again. */
function remember(projects: Map<string, Promise<string>>, cwd: string): Promise<string> {
  const known = projects.get(cwd)
  if (known) return known
  const name = projectName(cwd, homeDir()).catch(() => '')
  if (projects.size < 1000) projects.set(cwd, name)
  return name
}

function rootsOf(client: string): string[] {
  const known = isClientName(client) ? [clients[client]] : Object.values(clients)
  return known.flatMap((one) => transcriptRoots(one))
}

function durationSince(promptedAt: number | undefined, at: number): number | undefined {
  return promptedAt !== undefined && promptedAt <= at ? at - promptedAt : undefined
}
