import { findClient } from '../clients/index.ts'
import { fieldOf, type Payload, passes } from './payload.ts'

/** Whether nobody sits before the session, by the first mark of the client that is there. */
export function isHeadlessRun(
  client: string,
  payload: Payload,
  env: Readonly<Record<string, string>>,
): boolean | undefined {
  const marks = findClient(client)?.headless ?? []
  const markValue = (from: 'env' | 'payload', name: string) =>
    from === 'payload' ? fieldOf(payload, name) : Object.hasOwn(env, name) ? env[name] : undefined
  return marks.find(({ from, name, value }) => passes(markValue(from, name), value))?.isHeadless
}
