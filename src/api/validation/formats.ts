/** A day that exists, as YYYY-MM-DD. */
export function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // There are engines that take 30 February for 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

// As browsers check `<input type="email">`. Every part has a length, so that no text takes long.
const LOCAL = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}$/
const LABEL = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i
const LONGEST_EMAIL = 320

/** An e-mail address with a domain. */
export function isEmail(text: string): boolean {
  if (text.length > LONGEST_EMAIL) return false
  const [local = '', domain = '', ...rest] = text.split('@')
  return rest.length === 0 && LOCAL.test(local) && domain.split('.').every((one) => LABEL.test(one))
}

/** 32 hexadecimal digits in five groups, of any version. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(text)
}
