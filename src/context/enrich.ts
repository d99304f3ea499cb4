import { clients, isClientName } from '../clients/index.ts'
import { transcriptRoots } from '../clients/paths.ts'
import { homeDir } from '../config/paths.ts'
import type { AgentEvent } from '../event/event.ts'
import { projectName } from './project.ts'
import { readTranscript } from './transcript.ts'

/** An event with what could be found out around it. */
export interface EnrichedEvent extends AgentEvent {
  /** '' where unknown. */
  project: string
}

/** Adds the project's name, and for a finished turn its duration and last message. Never fails an event. */
export async function enrich(
  event: AgentEvent,
  projects: Map<string, Promise<string>>,
): Promise<EnrichedEvent> {
  const project = await remember(projects, event.cwd)
  if (event.kind !== 'done' || !event.transcriptPath) return { ...event, project }
  const { lastMessage, promptedAt } = await readTranscript(
    event.transcriptPath,
    rootsOf(event.client),
  )
  return {
    ...event,
    project,
    lastMessage: event.lastMessage || lastMessage,
    durationMs: event.durationMs ?? durationSince(promptedAt, event.at),
  }
}

/** A worker sees the same few folders again and again. */
function remember(projects: Map<string, Promise<string>>, cwd: string): Promise<string> {
  const name = projects.get(cwd) ?? projectName(cwd, homeDir()).catch(() => '')
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
