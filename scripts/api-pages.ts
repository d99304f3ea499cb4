import { makeOpenApi } from '../src/api/reference/openapi.ts'
import { makeTable } from '../src/api/reference/table.ts'
import { ownChoices } from '../src/emulator/index.ts'

/** The OpenAPI document as it is checked in. */
export function openApiText(): string {
  return `${JSON.stringify(makeOpenApi(), null, 2)}\n`
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
