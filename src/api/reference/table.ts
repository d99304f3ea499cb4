import { beyond } from '../endpoints/beyond.ts'
import type { Endpoint, ErrorSource } from '../endpoints/endpoint.ts'
import { listEndpoints } from '../endpoints/index.ts'
import type { PageStyle } from '../operation.ts'
import { type Json, makeSchemas } from './json-schema.ts'

/** The endpoints as a Markdown table: method and path, inputs, errors, retry class and page style. */
export function makeTable(): string {
  const head = ['endpoint', 'request', 'inputs', 'errors', 'retry', 'pages']
  const rows = listEndpoints().map((endpoint) => {
    const { id, errors, retry, page } = endpoint
    const style = page ? pageText(page) : ''
    const [address, inputs] = [addressText(endpoint), inputsText(endpoint)]
    return [`\`${id}\``, address, inputs, errorsText(errors), retry, style]
  })
  return tableOf(head, rows)
}

/** The endpoints that the specification does not have, each with the page that shows it. */
export function makeBeyondTable(): string {
  const rows = listEndpoints(beyond).map((endpoint) => {
    const { id, retry, source = '' } = endpoint
    return [`\`${id}\``, addressText(endpoint), inputsText(endpoint), retry, `\`${source}\``]
  })
  return tableOf(['endpoint', 'request', 'inputs', 'retry', 'page'], rows)
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(line).join('\n')
}

function addressText({ method, path, host }: Endpoint): string {
  return `\`${method} ${path}\`${host === 'app' ? ' (application)' : ''}`
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

/** Required inputs are bold. A name on the wire that differs stands in parentheses. */
function inputsText(endpoint: Endpoint): string {
  const { schemaOf } = makeSchemas()
  const { params, query, body, wire = {}, passthrough } = endpoint
  const inputs = [params, query, body].flatMap((schema) => {
    if (!schema) return []
    const { properties, required } = schemaOf(schema, 'input')
    return Object.entries(Object(properties)).map(([name, field]) => {
      const isRequired = Array.isArray(required) && required.includes(name)
      const shown = isRequired ? `**\`${name}\`**` : `\`${name}\``
      const other = wire[name] && wire[name] !== name ? ` (\`${wire[name]}\`)` : ''
      return `${shown}${other}${limitsText(field as Json)}`
    })
  })
  if (passthrough) inputs.push('anything')
  return inputs.length > 0 ? inputs.join(', ') : '–'
}

function limitsText(field: Json): string {
  const variants = Array.isArray(field.anyOf) ? (field.anyOf as Json[]) : [field]
  const isNullable = variants.some(({ type }) => type === 'null')
  const [main = {}] = variants
  const { enum: values, minLength, maxLength, minItems, maxItems } = main
  const { minimum, maximum, exclusiveMinimum } = main
  const texts = [
    Array.isArray(values) ? values.join(' | ') : '',
    rangeText(minimum ?? (exclusiveMinimum === 0 ? 1 : undefined), maximum, ''),
    maxLength === undefined ? '' : rangeText(minLength, maxLength, ' characters'),
    rangeText(minItems, maxItems, ' entries'),
    isNullable ? 'or null' : '',
  ].filter(Boolean)
  return texts.length > 0 ? ` ${texts.join(' ')}` : ''
}

function rangeText(from: unknown, to: unknown, unit: string): string {
  if (from === undefined && to === undefined) return ''
  if (to === undefined) return `≥ ${from}${unit}`
  return `${from ?? 0}–${to}${unit}`
}

/** Statuses that are only inferred are in italics. */
function errorsText(errors: Readonly<Record<number, ErrorSource>>): string {
  return Object.entries(errors)
    .map(([status, source]) => (source === 'inference' ? `*${status}*` : status))
    .join(' ')
}

function pageText({ items, next, hasMore, cursor }: PageStyle): string {
  const [, field] = next.split('.-1.')
  const from = field === undefined ? `\`${next}\`` : `\`${field}\` of the last item`
  const until = hasMore === undefined ? '; ends with an empty page' : ''
  return `\`${items}\`; ${from} → \`${cursor}\`${until}`
}
