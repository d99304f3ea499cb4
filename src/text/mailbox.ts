import { domainToASCII, domainToUnicode } from 'node:url'

/** One address of a mail, and the name of its owner; '' if it is not given. */
export interface Mailbox {
  name: string
  /** With the domain as mail servers want it: `exämple.de` is `xn--exmple-cua.de`. */
  address: string
}

/** Services use local parts that are longer than the 64 bytes of SMTP, so they have no limit of their own. */
const MAX_LENGTH = 320

/** Line breaks would be headers; marks that change the direction of text would disguise an address. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
/** A name, in quotes if it has punctuation that means something in a list of addresses. */
const NAMED = /^(?:"((?:[^"\\]|\\.)*)"\s*|([^"\\()<>[\]:;,@]*))<([^<>]*)>$/
/** No quotes, because mail programs disagree on who gets `"a@x.test b"@y.test`. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+$/u
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u
const ASCII_DOMAIN =
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/**
 * Parses one address, with or without a name: `Ada Lovelace <ada@example.org>`. Lists, groups, comments, quoted addresses
 * and whatever else could be read in two ways give undefined.
 */
export function parseMailbox(text: string): Mailbox | undefined {
  if (text.length > MAX_LENGTH || UNSAFE.test(text)) return undefined
  const [, quoted, plain = '', inBrackets = text] = NAMED.exec(text) ?? []
  const address = parseAddress(inBrackets)
  const name = quoted?.replace(/\\(.)/g, '$1') ?? plain
  return address === undefined ? undefined : { name: name.trim(), address }
}

/** What is wrong with a text that is not one address, and what to write; undefined if it is one. */
export function mailboxFault(text: string): string | undefined {
  if (parseMailbox(text)) return undefined
  if (/@[^,;]*[,;][^@]*@/.test(text))
    return 'must be one address: write several one by one, such as ["a@example.com", "b@example.com"]'
  const inBrackets = /<([^<>]*)>$/.exec(text)?.[1]
  if (inBrackets && parseMailbox(inBrackets) && !UNSAFE.test(text))
    return 'must have quotes around a name with punctuation: "Lovelace, Ada" <ada@example.com> (in JSON, each quote as \\")'
  return 'must be one address such as me@example.com or Ada Lovelace <ada@example.com>'
}

/** The same for all ways to write the address of a person. */
export function mailboxKey(text: string): string {
  // nodemailer puts a local part such as `a..b` in quotes.
  const { address } = parseMailbox(text.replace(/^"([^"\\]*)"@/, '$1@')) ?? { address: text }
  return address.toLowerCase()
}

function parseAddress(text: string): string | undefined {
  const [localPart = '', domain = '', ...others] = text.split('@')
  if (others.length > 0 || !LOCAL_PART.test(localPart) || !DOMAIN.test(domain)) return undefined
  const ascii = asciiDomain(domain)
  return ascii === undefined ? undefined : `${localPart.normalize('NFC')}@${ascii}`
}

/** The domain as the DNS knows it; undefined if that would be another one than is written, as with `0x7f.1`. */
function asciiDomain(domain: string): string | undefined {
  const ascii = domainToASCII(domain)
  const written = domain.normalize('NFC').toLowerCase()
  const isMeant = written === ascii || written === domainToUnicode(ascii)
  return isMeant && ASCII_DOMAIN.test(ascii) ? ascii : undefined
}

/**
 * Reads addresses as people write them: `a@x.org, b@y.org; Ada Lovelace <ada@example.org>`, also a name with a comma, as
 * some mail programs write it: `Lovelace, Ada <ada@example.org>`.
 * @returns the addresses as a channel wants them, or what is wrong with the text
 */
export function readMailboxes(text: string): readonly string[] | { fault: string } {
  const found: string[] = []
  let name = ''
  for (const part of partsOf(text)) {
    const whole = name ? `${name}, ${part}` : part
    // A part without an address is the start of a name.
    name = part.includes('@') ? '' : whole
    if (name) continue
    const mailbox = mailboxFault(whole) === undefined ? whole : withQuotes(whole)
    const fault = mailboxFault(mailbox)
    if (fault !== undefined) return { fault: `${whole}: ${fault}` }
    found.push(mailbox)
  }
  if (name) return { fault: `${name} is no address, such as me@example.com` }
  return found.length > 0 ? found : { fault: 'Write an address, such as me@example.com' }
}

/** The parts between commas and semicolons, outside of quotes and of `<>`. */
function partsOf(text: string): string[] {
  const parts = text.match(/(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|[^,;])+/g) ?? []
  return parts.map((part) => part.trim()).filter(Boolean)
}

/** A name with punctuation needs quotes. */
function withQuotes(text: string): string {
  const [, name = '', address = ''] = /^([^"<>]*[^"<>\s])\s*<([^<>]*)>$/.exec(text) ?? []
  return address ? `"${name.replaceAll('\\', '\\\\')}" <${address}>` : text
}
