import { readFileSync } from 'node:fs'
import { listEndpoints } from '../../src/api/endpoints/index.ts'
import { makeOpenApi } from '../../src/api/reference/openapi.ts'
import { operationsModule } from '../../src/api/reference/operations.ts'
import { makeBeyondTable, makeTable } from '../../src/api/reference/table.ts'
import { typesModule } from '../../src/api/reference/types.ts'
import { authenticate } from '../../src/emulator/auth.ts'
import { handlers } from '../../src/emulator/handlers/index.ts'
import { ownChoices } from '../../src/emulator/index.ts'
import { samplesOf } from '../../src/emulator/samples.ts'
import { makeWorld } from '../../src/emulator/start.ts'
import { parseSeed } from '../../src/emulator/state/seed.ts'

// After the days of the examples: analytics has no figures of today.
const NOW = Date.UTC(2026, 5, 15)

/** What a new emulator answers to the example of each endpoint, by ID: for the OpenAPI document. */
function exampleResponses(): ReadonlyMap<string, unknown> {
  return new Map(
    listEndpoints().map(({ id, example }) => {
      const world = makeWorld(parseSeed({}), () => NOW)
      const { state } = world
      const caller = authenticate(state, `Bearer ${samplesOf(world).apiKey}`, NOW)
      const reply = handlers.get(id)?.run(example, { world, state, caller, now: NOW })
      return [id, JSON.parse(JSON.stringify(reply?.body ?? {}))]
    }),
  )
}

/** The OpenAPI document as it is checked in. */
export function openApiText(): string {
  return `${JSON.stringify(makeOpenApi(exampleResponses()), null, 2)}\n`
}

/** The generated modules of the client: a function for the text, by path. */
export const clientModules: { [path: string]: () => string } = {
  'src/api/operations.ts': operationsModule,
  'src/api/types.ts': typesModule,
  'src/api/version.ts': versionModule,
}

/** The version for the user agent, as code: the library does not read package.json. */
function versionModule(): string {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  return `// Written by \`npm run gen\` from package.json.\nexport const version = '${version}'\n`
}

/** One row per endpoint. */
export function endpointsTable(): string {
  return makeTable()
}

/** One row per endpoint that the specification does not have. */
export function beyondTable(): string {
  return makeBeyondTable()
}

/** One row per decision of the emulator that the specification does not make. */
export function choicesTable(): string {
  const rows = ownChoices.map(({ about, choice }) => `| ${cell(about)} | ${cell(choice)} |`)
  return ['| not shown | the emulator |', '| --- | --- |', ...rows].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
