import { readFileSync } from 'node:fs'
import { api } from '../../src/api/endpoints/index.ts'
import { makeOpenApi } from '../../src/api/reference/openapi.ts'
import { operationsIndex, operationsModule } from '../../src/api/reference/operations.ts'
import { makeTable } from '../../src/api/reference/table.ts'
import {
  checkNames,
  endpointIdModule,
  kebab,
  typeModules,
  typesIndex,
} from '../../src/api/reference/types.ts'
import { ownChoices } from '../../src/emulator/index.ts'

/** The OpenAPI document as it is checked in. */
export function openApiText(): string {
  return `${JSON.stringify(makeOpenApi(), null, 2)}\n`
}

/** The generated modules of the client (operations, public types, version): a function for the text, by path. */
export function clientModules(): { [path: string]: () => string } {
  checkNames()
  const names = Object.keys(api)
  const operations = Object.entries(api).map(([area, tree]): [string, () => string] => [
    `src/api/operations/${kebab(area)}.ts`,
    () => operationsModule(area, tree),
  ])
  const types = Object.entries(api).flatMap(([area, tree]) =>
    Object.entries(typeModules(area, tree)),
  )
  const index = () => operationsIndex(names.map((area) => ({ area, file: `${kebab(area)}.ts` })))
  return Object.fromEntries([
    ...operations,
    ...types.map(([path, text]) => [`src/api/types/${path}`, () => text]),
    ['src/api/operations/index.ts', index],
    [
      'src/api/types/index.ts',
      () =>
        typesIndex(
          names,
          types.map(([path]) => path),
        ),
    ],
    ['src/api/types/endpoint-id.ts', endpointIdModule],
    ['src/api/version.ts', versionModule],
  ])
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
