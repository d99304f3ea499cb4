/** Prints plain data as TypeScript code. */
export function printData(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printData).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, field]) => {
    const name = /^[a-z]\w*$/i.test(key) ? key : `'${key}'`
    return `${name}: ${printData(field)}`
  })
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}
