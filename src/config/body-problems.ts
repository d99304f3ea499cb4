import { bodyProblems } from '../notifiers/webhook/body.ts'
import type { Config } from './schema/schema.ts'

/** What is wrong with the templates of the bodies of channels. Not part of the validation: loads the template engine. */
export async function channelBodyProblems({
  channels,
}: Pick<Config, 'channels'>): Promise<string[]> {
  const problems: string[] = []
  for (const [name, channel] of Object.entries(channels)) {
    const { type, body } = channel as { type: string; body?: string | { [name: string]: unknown } }
    if (type !== 'webhook' || body === undefined) continue
    for (const problem of await bodyProblems(body))
      problems.push(`channel ${name}: body: ${problem}`)
  }
  return problems
}
