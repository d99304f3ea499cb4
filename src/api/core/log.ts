import { variablesOf } from '../record.ts'
import type { CallReport, DerivedOptions } from './options.ts'

/** Writes a line for every attempt to stderr if `HOOKBELL_LOG=debug`. It contains no credentials and no data. */
export function logAttempts(options: DerivedOptions): ((report: CallReport) => void) | undefined {
  if (variablesOf(options).HOOKBELL_LOG !== 'debug') return undefined
  return (report) => console.error(lineOf(report))
}

function lineOf(report: CallReport): string {
  const { callId, attempt, method, route, status, failure, elapsedMs, requestId, retryInMs } =
    report
  const request = requestId ? `, request ${requestId}` : ''
  const next = retryInMs === undefined ? '' : `, next attempt in ${retryInMs} ms`
  const outcome = `${status ?? failure} in ${elapsedMs} ms${request}${next}`
  return `hookbell api: call ${callId}, attempt ${attempt}: ${method} ${route}: ${outcome}`
}
