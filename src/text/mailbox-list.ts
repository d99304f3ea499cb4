import { mailboxFault } from './mailbox.ts'

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
