import { clients } from '../clients/index.ts'
import { hookEntry, sharedHookCommand } from './hook-command.ts'

/** The text of `hooks.example.json`: what `init --project` adds for droid, as a bare event map. */
export function exampleHooks(): string {
  const { droid } = clients
  const hooks = [hookEntry(droid, sharedHookCommand('droid'))]
  return `${JSON.stringify(Object.fromEntries(droid.events.map((event) => [event, [{ hooks }]])), null, 2)}\n`
}
