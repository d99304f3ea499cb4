/** `['users', 0, 'email']` as `users[0].email`. */
export function fieldName(
  path: readonly PropertyKey[],
  indexText = (index: number) => `[${index}]`,
) {
  const texts = path.map((key) => (typeof key === 'number' ? indexText(key) : `.${String(key)}`))
  return texts.join('').replace(/^\./, '')
}
