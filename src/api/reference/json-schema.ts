import * as z from 'zod'

/** A JSON Schema, or any part of one. */
export type Json = { [key: string]: unknown }

/** Makes JSON Schemas for an OpenAPI document. Named ones are collected in `schemas` and referenced. */
export function makeSchemas() {
  const schemas: Json = {}
  return {
    schemas,
    schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
      const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, override: tidy })
      for (const [name, definition] of Object.entries($defs)) {
        const { id: __, ...named } = definition
        schemas[name] = moveRefs(named)
      }
      return moveRefs(root) as Json
    },
  }
}

interface Written {
  jsonSchema: z.core.JSONSchema.BaseSchema
}

/** Drops keywords without meaning, and fields that the service does not send. */
function tidy({ jsonSchema }: Written) {
  const schema = jsonSchema as Json
  dropSafeBounds(schema)
  if (isEmpty(schema.additionalProperties)) {
    // Said where fields have no names to list, or patterns as names, which most generators ignore: their types would not
    // have these fields.
    const isListed = !isEmpty(schema.properties ?? {}) && !schema.patternProperties
    if (isListed) delete schema.additionalProperties
    else schema.additionalProperties = true
  }
  const values = schema['x-extensible-enum']
  if (values) {
    // Both variants, so that generated types suggest the known values and accept others.
    schema.anyOf = [{ type: 'string', enum: values }, { type: 'string' }]
    delete schema['x-extensible-enum']
    delete schema.type
  }
  if (isStringSchema(schema.propertyNames)) delete schema.propertyNames
  // The format says the same and is readable.
  if (schema.format === 'date') delete schema.pattern
  if (schema.secret === true) {
    delete schema.secret
    schema['x-secret'] = true
  }
  const properties = schema.properties as { [name: string]: Json } | undefined
  for (const [name, field] of Object.entries(properties ?? {}))
    if (field['x-added-by-client']) delete properties?.[name]
}

function dropSafeBounds(schema: Json) {
  for (const name of ['minimum', 'maximum']) if (isSafeBound(schema[name])) delete schema[name]
}

/** Whether it is a bound that zod writes for every whole number. */
export function isSafeBound(bound: unknown): boolean {
  return Math.abs(Number(bound)) === Number.MAX_SAFE_INTEGER
}

export function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function isStringSchema(value: unknown): boolean {
  return JSON.stringify(value) === '{"type":"string"}'
}

function moveRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveRefs)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      key === '$ref' && typeof field === 'string'
        ? field.replace('#/$defs/', '#/components/schemas/')
        : moveRefs(field),
    ]),
  )
}
