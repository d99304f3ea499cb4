import { type AcceptedEntry, isOwnEvent, type JournalEntry } from '../journal/entry.ts'
import { cutText, oneLine } from '../text/clean.ts'
import { formatTime } from '../text/local-time.ts'
import { AgentWork, isAsking, isCopy, isTurnEnd, type Wait } from './agent-work.ts'
import type { Period } from './report.ts'

/** Numbers of events by what they mean. They add up to all accepted events. */
interface DigestCounts {
  /** Turns that ended well. */
  done: number
  failed: number
  /** Questions. */
  asked: number
  /** Events that only repeat another one. */
  repeats: number
  other: number
}

export interface Digest extends DigestCounts {
  /** Unix ms. */
  from: number
  to: number
  events: number
  /** The busiest first. */
  projects: (DigestCounts & { project: string })[]
  /** What was asked in this time and is not answered, oldest first. */
  waiting: Waiting[]
}

type Waiting = Pick<Wait, 'id' | 'at' | 'project' | 'title' | 'text'>

const MOST_LINES = 10
const MOST_TEXT = 140

/** Sums up what agents did in a period. Events of hookbell itself are left out. */
export function makeDigest(entries: readonly JournalEntry[], { from, to }: Period): Digest {
  const byId = new Map<string, AcceptedEntry>()
  for (const entry of entries) {
    if (entry.type !== 'accepted' || isOwnEvent(entry) || byId.has(entry.id)) continue
    if (entry.acceptedAt >= from && entry.acceptedAt < to) byId.set(entry.id, entry)
  }
  const accepted = [...byId.values()]
  const projects = [...new Set(accepted.map(({ project }) => project))]
    .map((project) => ({ project, ...countsOf(accepted.filter((one) => one.project === project)) }))
    .sort((one, other) => busyness(other) - busyness(one))
  // A digest may be sent late: what was answered meanwhile does not wait any more.
  const waiting = new AgentWork(entries).waits
    .filter(({ id, asks, end }) => asks && !end && byId.has(id))
    .map(({ id, at, project, title, text = '' }) => {
      const [line = ''] = text.split('\n', 1)
      return { id, at, project, title, ...(line && { text: line }) }
    })
  return { from, to, events: accepted.length, ...countsOf(accepted), projects, waiting }
}

function countsOf(entries: readonly AcceptedEntry[]): DigestCounts {
  const counts = { done: 0, failed: 0, asked: 0, repeats: 0, other: 0 }
  for (const entry of entries) counts[counterOf(entry)] += 1
  return counts
}

function counterOf(entry: AcceptedEntry): keyof DigestCounts {
  const { kind } = entry
  if (isCopy(entry)) return 'repeats'
  if (kind === 'abnormal-end') return 'failed'
  if (isTurnEnd(entry)) return kind === 'done' ? 'done' : 'failed'
  return isAsking(entry) ? 'asked' : 'other'
}

function busyness({ done, failed, asked }: DigestCounts): number {
  return done + failed + asked
}

/** Whether the digest has anything worth a message. */
export function isWorthTelling(digest: Digest): boolean {
  return busyness(digest) > 0
}

/**
 * The digest as a message: `12 done, 1 failed, 2 waiting`, then each project, then what waits.
 * @param clearance with `minimal`, it has no text of an agent
 */
export function digestMessage(digest: Digest, clearance?: string): { title: string; body: string } {
  const { from, to, waiting } = digest
  const projects = digest.projects.filter((one) => busyness(one) > 0)
  const lines = projects.map(({ project, ...counts }) => `${project || '-'}: ${summary(counts)}`)
  const open = waiting.map(({ at, title, text = '' }) => {
    const asked = clearance === 'minimal' ? '' : text
    return `waiting since ${formatTime(at)}: ${[title, asked].filter(Boolean).join(' · ')}`
  })
  return {
    title: `Digest: ${summary({ ...digest, waiting: waiting.length }) || 'nothing happened'}`,
    body: [`${formatTime(from)} to ${formatTime(to)}`, ...some(lines), ...some(open)].join('\n'),
  }
}

function summary({ done, failed, asked, waiting }: DigestCounts & { waiting?: number }): string {
  const parts: [number, string][] = [
    [done, 'done'],
    [failed, 'failed'],
    [asked, 'asked'],
    [waiting ?? 0, 'still waiting'],
  ]
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(', ')
}

function some(lines: readonly string[]): string[] {
  const shown = lines.slice(0, MOST_LINES).map((line) => cutText(oneLine(line), MOST_TEXT))
  return lines.length > MOST_LINES ? [...shown, `and ${lines.length - MOST_LINES} more`] : shown
}
