import * as z from 'zod'
import type { Notifier } from '../../src/notifiers/define.ts'
import { notifiers } from '../../src/notifiers/index.ts'

interface Field {
  description?: string
  default?: unknown
  secret?: boolean
}

/** One row per option of each notifier, from the declarations that also check the configuration. */
export function optionsTable(): string {
  const rows = Object.values<Notifier>(notifiers).flatMap((notifier) => {
    const { properties = {}, required = [] } = z.toJSONSchema(notifier.options, {
      io: 'input',
      unrepresentable: 'any',
    })
    return Object.entries(properties).map(([name, schema]) =>
      row(notifier.name, name, schema as Field, required.includes(name)),
    )
  })
  return ['| type | option | meaning | default |', '|---|---|---|---|', ...rows].join('\n')
}

function row(type: string, name: string, field: Field, isRequired: boolean): string {
  const defaultText = isRequired ? '**required**' : defaultOf(field)
  const secret = field.secret ? ' Secret.' : ''
  return `| \`${type}\` | \`${name}\` | ${field.description ?? ''}.${secret} | ${defaultText} |`
}

function defaultOf(field: Field): string {
  return field.default === undefined ? 'none' : `\`${JSON.stringify(field.default)}\``
}
