import type { CallReport, DerivedOptions } from './options.ts'

/** Writes a line for every attempt to stderr if `HOOKBELL_LOG=debug`. It has no credentials and no data in it. */
export function logAttempts(options: DerivedOptions): ((report: CallReport) => void) | undefined {
  const env = options.env ?? globalThis.process?.env ?? {}
  return env.HOOKBELL_LOG === 'debug' ? (report) => console.error(lineOf(report)) : undefined
}

function lineOf(report: CallReport): string {
  const { callId, attempt, method, route, status, failure, elapsedMs, requestId, retryInMs } =
    report
  const facts = [
    `${status ?? failure} in ${elapsedMs} ms`,
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
    ...(retryInMs === undefined ? [] : [`next attempt in ${retryInMs} ms`]),
  ]
  return `hookbell api: call ${callId}, attempt ${attempt}: ${method} ${route}: ${facts.join(', ')}`
}
