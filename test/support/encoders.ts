import fc from 'fast-check'

const punctuation = /[^\w\s]/g

function coded(write: (code: number) => string): (text: string) => string {
  return (text) => text.replace(punctuation, (sign) => write(sign.charCodeAt(0)))
}

const hex = (code: number) => code.toString(16)
const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '/': '&sol;' },
  ...{ ':': '&colon;', '@': '&commat;', '=': '&equals;', '?': '&quest;' },
}

/** What programs do to a text that they put into another one. */
export const encoders: Readonly<Record<string, (text: string) => string>> = {
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON of PHP': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', String.raw`\/`),
  'JSON of Go': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[&<>]/g, (sign) => `\\u00${hex(sign.charCodeAt(0))}`),
  'JSON of .NET': (text) =>
    text.replace(/["'&<>+`\\\n\t]/g, (sign) => {
      return `\\u${hex(sign.charCodeAt(0)).padStart(4, '0').toUpperCase()}`
    }),
  'escapes of JavaScript': coded((code) =>
    code < 256 ? `\\x${hex(code).padStart(2, '0')}` : `\\u{${hex(code)}}`,
  ),
  HTML: (text) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign),
  'HTML with names': (text) => text.replace(punctuation, (sign) => entities[sign] ?? sign),
  'HTML with decimal numbers': coded((code) => `&#${code};`),
  'HTML with hexadecimal numbers': coded((code) => `&#x${hex(code).toUpperCase()};`),
  'percent-encoding': (text) => encodeURIComponent(text.toWellFormed()),
  'percent-encoding of everything': (text) =>
    Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  Markdown: (text) => text.replace(/[\\`*_{}[\]()#+.!|~<>-]/g, String.raw`\$&`),
  // Shorter ones are not told from a word.
  base64: (text) => (text.length < 9 ? text : Buffer.from(text).toString('base64')),
  'base64 of URLs': (text) => (text.length < 9 ? text : Buffer.from(text).toString('base64url')),
  hexadecimal: (text) => (text.length < 10 ? text : Buffer.from(text).toString('hex')),
}

/** Names of encoders, in the order in which they are applied. */
export const nested = fc.array(fc.constantFrom(...Object.keys(encoders)), { maxLength: 3 })

export function encode(text: string, names: readonly string[]): string {
  return names.reduce((encoded, name) => encoders[name]?.(encoded) ?? encoded, text)
}
