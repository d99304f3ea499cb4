import type { Client } from '../clients/define.ts'
import type { EventStatus } from '../journal/history.ts'
import { type Check, check } from './check.ts'

/** What a client does not report here: that nothing comes is no fault of ours, and nothing that can be repaired. */
export function checkUnreported(
  id: string,
  { name, events, aliases, surfaces = [] }: Client,
  history: readonly EventStatus[],
): Check[] {
  const asks = events.some((event) =>
    /^(Notification|PermissionRequest)$/.test(aliases[event] ?? event),
  )
  const used = new Set(history.flatMap((one) => (one.client === name ? [one.surface] : [])))
  const found = surfaces.filter(({ title }) => used.has(title))
  return [
    ...(asks ? [] : ['no event of it says that it asks something']),
    ...found.map((one) => `in ${one.title} it reports ${one.unreported}`),
  ].map((seen) => check(`${id}.unreported`, 'cannot tell', seen))
}

/** What is known of a client only by what others say. */
export function checkUnproven(id: string, { verified }: Client): Check[] {
  const names = Object.entries(verified).filter(([, evidence]) => evidence !== 'measured')
  if (names.length === 0) return []
  const seen = names.map(([name, evidence]) => `${name} (${evidenceWords[evidence]})`).join(', ')
  return [check(`${id}.verified`, 'cannot tell', `never tried with the real program: ${seen}`)]
}

const evidenceWords = {
  measured: 'seen to work',
  documented: 'known from its documentation',
  source: 'known from its source code',
  unverified: 'not confirmed by anything',
}
