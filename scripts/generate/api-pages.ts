import { readFileSync } from 'node:fs'
import { makeOpenApi } from '../../src/api/reference/openapi.ts'
import { operationsModule } from '../../src/api/reference/operations.ts'
import { makeTable } from '../../src/api/reference/table.ts'
import { typesModule } from '../../src/api/reference/types.ts'
import { exampleResponses } from '../../src/emulator/examples.ts'
import { ownChoices } from '../../src/emulator/index.ts'

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

/** One row per decision of the emulator that the specification does not make. */
export function choicesTable(): string {
  const rows = ownChoices.map(({ about, choice }) => `| ${cell(about)} | ${cell(choice)} |`)
  return ['| not shown | the emulator |', '| --- | --- |', ...rows].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
