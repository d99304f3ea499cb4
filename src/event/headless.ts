import { findClient } from '../clients/index.ts'
import { fieldOf, type Payload, passes } from './payload.ts'

/** Whether the session runs without a person, by the first of the client's marks that is present. */
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
