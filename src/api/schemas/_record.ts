export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy of the object with `change` applied to one of its fields; anything else comes back as it is. */
export function mapField(value: unknown, key: string, change: (field: unknown) => unknown) {
  if (!isRecord(value) || !Object.hasOwn(value, key)) return value
  return { ...value, [key]: change(value[key]) }
}
