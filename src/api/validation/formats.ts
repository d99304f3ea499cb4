export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Whether a value is a day that exists, as YYYY-MM-DD. */
export function isDate(value: unknown): boolean {
  if (!isText(value) || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const time = Date.parse(value)
  // Some engines parse 30 February as 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

// The service decides which addresses there are, also of other alphabets. This rejects names, lists and the like.
const EMAIL = /^[^\s@,;<>]+@[^\s@,;<>]+$/
const LONGEST_EMAIL = 320

/** An e-mail address with a domain. */
export function isEmail(value: unknown): boolean {
  return isText(value) && value.length <= LONGEST_EMAIL && EMAIL.test(value)
}

/** 32 hexadecimal digits in five groups, of any version. */
export function isUuid(value: unknown): boolean {
  return isText(value) && /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(value)
}
