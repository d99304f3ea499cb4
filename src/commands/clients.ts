import { defineCommand } from 'citty'
import { printJson, say, table, terminalWidth } from '../cli/output.ts'
import type { Client } from '../clients/define.ts'
import { type ClientName, clientNames, clients } from '../clients/index.ts'
import { stateDir } from '../config/paths.ts'
import { knownPlaces } from '../install/places.ts'
import { presenceOf } from '../install/presence.ts'
import { readRegistered } from '../install/registered.ts'
import { showPath } from '../text/clean.ts'

export const clientsCommand = defineCommand({
  args: { json: { type: 'boolean', description: 'Print JSON' } },
  run({ args }) {
    const rows = readClients()
    if (args.json) printJson(rows)
    else say(describe(rows))
  },
})

function readClients() {
  const registered = knownPlaces(stateDir(), { env: process.env, cwd: process.cwd() })
    .map(readRegistered)
    .filter(({ hooks }) => hooks.length > 0)
  return clientNames.map((name) => describeClient(name, registered))
}

function describeClient(name: ClientName, all: ReturnType<typeof readRegistered>[]) {
  const client: Client = clients[name]
  const { folder = null, program = null } = presenceOf(client, process.env)
  const registered = all
    .filter(({ place }) => place.client === name)
    .map(({ place: { path, scope }, hooks }) => {
      return { path, scope, events: [...new Set(hooks.map(({ event }) => event))] }
    })
  return {
    client: name,
    title: client.title,
    folder,
    program,
    registered,
    verified: client.verified,
  }
}

function describe(rows: ReturnType<typeof readClients>): string {
  const lines = rows.map(({ client, title, folder, program, registered, verified }) => [
    client,
    title,
    folder || program ? 'found' : 'not found',
    registered.map(({ path }) => showPath(path)).join(', ') || 'not registered',
    unproven(verified),
  ])
  const isWide = (terminalWidth() ?? Infinity) > NARROW
  const narrow = lines.map(([name = '', ...facts]) => [name, facts.filter(Boolean).join('; ')])
  return table(isWide ? lines : narrow)
}

/** On a terminal of at most this many columns, the table gets two columns instead of five. */
const NARROW = 119

/** Whether something about the client was not tried with the client itself; JSON says what. */
function unproven(verified: Client['verified']): string {
  return Object.values(verified).every((one) => one === 'measured') ? '' : 'not fully tested'
}
