/** One message in the binary format of D-Bus, which `dbus-monitor --binary` prints too. */
export interface BusMessage {
  /** 1: a call, 2: the reply to a call, 3: an error, 4: a signal. */
  type: number
  serial: number
  sender: string
  member: string
  args: unknown[]
}

const MEMBER_FIELD = 3
const SENDER_FIELD = 7
const SIGNATURE_FIELD = 8

/**
 * Parses all complete messages in the bytes, and returns the remaining bytes.
 * The text format of dbus-monitor would be ambiguous, since it escapes nothing.
 */
export function takeMessages(bytes: Buffer): { messages: BusMessage[]; rest: Buffer } {
  const messages: BusMessage[] = []
  let rest = bytes
  while (rest.length >= 16) {
    const headerEnd = 16 + Math.ceil(rest.readUInt32LE(12) / 8) * 8
    const end = headerEnd + rest.readUInt32LE(4)
    if (rest.length < end) break
    messages.push(readMessage(rest.subarray(0, end), headerEnd))
    rest = rest.subarray(end)
  }
  return { messages, rest }
}

function readMessage(bytes: Buffer, bodyStart: number): BusMessage {
  const header = makeReader(bytes, 12).read('a(yv)') as [number, unknown][]
  const fields = new Map(header)
  const body = makeReader(bytes, bodyStart)
  const types = splitTypes(String(fields.get(SIGNATURE_FIELD) ?? ''))
  return {
    type: bytes.readUInt8(1),
    serial: bytes.readUInt32LE(8),
    sender: String(fields.get(SENDER_FIELD)),
    member: String(fields.get(MEMBER_FIELD)),
    args: types.map((type) => body.read(type)),
  }
}

/** Reads values by their D-Bus type, each aligned as the protocol asks. Little-endian only. */
function makeReader(bytes: Buffer, start: number) {
  let position = start
  const align = (size: number) => {
    position = Math.ceil(position / size) * size
  }
  const take = (size: number) => {
    position += size
    return bytes.subarray(position - size, position)
  }
  const number = (size: number) => {
    align(size)
    return take(size)
  }
  const text = (length: number) => take(length + 1).toString('utf8', 0, length)
  const array = (type: string) => {
    const length = number(4).readUInt32LE()
    align(/^[xtd({]/.test(type) ? 8 : 1)
    const items: unknown[] = []
    for (const end = position + length; position < end; ) items.push(read(type))
    return items
  }
  const struct = (types: string) => {
    align(8)
    return splitTypes(types).map(read)
  }
  const read = (type: string): unknown => {
    if (type.startsWith('a')) return array(type.slice(1))
    if (/^[({]/.test(type)) return struct(type.slice(1, -1))
    if (type === 'v') return read(text(number(1).readUInt8()))
    if (type === 'g') return text(number(1).readUInt8())
    if (type === 's' || type === 'o') return text(number(4).readUInt32LE())
    if (type === 'y') return number(1).readUInt8()
    if (type === 'i') return number(4).readInt32LE()
    if (type === 'x') return number(8).readBigInt64LE()
    if (type === 't') return number(8).readBigUInt64LE()
    if (type === 'b' || type === 'u') return number(4).readUInt32LE()
    throw new Error(`the D-Bus type ${type} is not supported here`)
  }
  return { read }
}

/** Splits a signature into complete types, such as `sa{sv}i` into `s`, `a{sv}` and `i`. */
function splitTypes(signature: string): string[] {
  const types: string[] = []
  for (let rest = signature; rest !== ''; ) {
    let end = rest.search(/[^a]/) + 1
    for (let depth = /[({]/.test(rest[end - 1] ?? '') ? 1 : 0; depth > 0; end += 1) {
      if (/[({]/.test(rest[end] ?? '')) depth += 1
      if (/[)}]/.test(rest[end] ?? '')) depth -= 1
    }
    types.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return types
}
