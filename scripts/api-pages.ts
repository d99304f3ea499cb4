import { api } from '../src/api/endpoints/index.ts'
import { makeOpenApi } from '../src/api/reference/openapi.ts'
import { operationsIndex, operationsModule } from '../src/api/reference/operations.ts'
import { makeTable } from '../src/api/reference/table.ts'
import { ownChoices } from '../src/emulator/index.ts'

/** The OpenAPI document as it is checked in. */
export function openApiText(): string {
  return `${JSON.stringify(makeOpenApi(), null, 2)}\n`
}

/** What the client knows of the endpoints: path of a module to a function that gives its text. */
export function operationModules(): { [path: string]: () => string } {
  const folder = 'src/api/operations'
  const areas = Object.entries(api)
  const modules = areas.map(([area, tree]): [string, () => string] => [
    `${folder}/${kebab(area)}.ts`,
    () => operationsModule(area, tree),
  ])
  const index = () => operationsIndex(areas.map(([area]) => ({ area, file: `${kebab(area)}.ts` })))
  return Object.fromEntries([...modules, [`${folder}/index.ts`, index]])
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

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
