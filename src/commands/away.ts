import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say } from '../cli/output.ts'
import type { Client } from '../clients/define.ts'
import { type ClientName, clients } from '../clients/index.ts'
import { CurrentConfig } from '../config/current.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { usageError } from '../errors.ts'
import { waitIn } from '../install/hook-command.ts'
import { knownPlaces } from '../install/places.ts'
import { readRegistered } from '../install/registered.ts'
import { dependsOnPresence } from '../prepare/here.ts'
import { putRequest } from '../spool/requests.ts'
import { parseDuration } from '../text/duration.ts'
import { formatSecond } from '../text/local-time.ts'

const DEFAULT_TIME = '2h'

export const awayCommand = defineCommand({
  args: {
    for: {
      type: 'positional',
      required: false,
      description: 'For how long, such as 30m. Default: 2h',
    },
    json: { type: 'boolean', description: 'Print JSON: until (Unix ms), clients' },
  },
  run({ args: { for: time = DEFAULT_TIME, json } }) {
    const ms = parseDuration(time)
    if (ms === undefined)
      throw usageError(`away: "${time}" is no time`, 'Such as: hookbell away 2h')
    const state = stateDir()
    const names = waitingClients(state)
    const { routes } = new CurrentConfig(configDir(), state).get().config
    if (names.length === 0 && !dependsOnPresence(routes)) {
      const hint = 'Register it first, such as: hookbell init --client codex --answers'
      throw usageError('away: no agent that is registered waits for an answer', hint)
    }
    const until = Date.now() + ms
    putRequest(state, 'away', `${until}`)
    if (json) return printJson({ until, clients: names })
    const titles = names.map((name) => clients[name].title)
    const waits = `questions of ${titles.join(' and ')} wait for hookbell answer. A key in the terminal of one ends it, or`
    const what = names.length > 0 ? waits : 'routes go by that. To end it'
    say(asTyped(`Away until ${formatSecond(until)}: ${what}: hookbell back`))
  },
})

/** The clients that would show a question only after the wait. */
function waitingClients(state: string): ClientName[] {
  const places = knownPlaces(state, { env: process.env, cwd: process.cwd() })
  const found = places.filter(({ client: name, ...place }) => {
    const { takesAnswers }: Client = clients[name]
    const { hooks } = readRegistered({ client: name, ...place })
    return (
      takesAnswers?.asks === 'before' && hooks.some(({ command }) => waitIn(command) !== undefined)
    )
  })
  return [...new Set(found.map(({ client }) => client))]
}
