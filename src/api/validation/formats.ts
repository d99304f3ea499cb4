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

// As browsers check `<input type="email">`. Every part has a maximum length, so that matching stays fast.
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@([a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.(?!$)|$))+$/i
const LONGEST_EMAIL = 320

/** An e-mail address with a domain. */
export function isEmail(value: unknown): boolean {
  return isText(value) && value.length <= LONGEST_EMAIL && EMAIL.test(value)
}

/** 32 hexadecimal digits in five groups, of any version. */
export function isUuid(value: unknown): boolean {
  return isText(value) && /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(value)
}
