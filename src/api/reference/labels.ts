import { STATUS_CODES } from 'node:http'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { RetryClass } from '../operation.ts'

/** The areas of the table, by the first word of an ID. */
export const areas = [
  { name: 'serviceAccounts', about: 'Keys of service accounts' },
  { name: 'organization', about: 'Credit limits and users of the organization' },
  { name: 'sessions', about: 'Sessions of the agent and their messages' },
  { name: 'computers', about: 'Computers that sessions run on' },
  { name: 'automations', about: 'Repositories and CI workflows' },
  { name: 'wiki', about: 'Wiki runs' },
  { name: 'analytics', about: 'Usage and activity of the organization, by day' },
  { name: 'readiness', about: 'Agent-readiness reports' },
] as const

export function areaOf({ id }: Endpoint): string {
  return id.split('.')[0] ?? ''
}

/** What the client does when a response is lost. */
export const retryLabels: Readonly<Record<RetryClass, string>> = {
  safe: 'safe: retried when the response is lost',
  never: 'never: retried only if it cannot have been carried out',
}

export function statusTitle(status: number): string {
  return STATUS_CODES[status] ?? `Status ${status}`
}
