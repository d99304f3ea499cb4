import { connect } from 'node:net'
import { type BusMessage, takeMessages } from './desktop-monitor.ts'

/** A value of D-Bus with its type: a text (`s`), a path (`o`), a type (`g`), a number (`u`), 1 or 0 for true or false (`b`), or texts (`as`). */
export type Value = { type: 's' | 'o' | 'g' | 'u' | 'b' | 'as'; value: string | number | string[] }

const CALL = 1
const ANSWER = 2
/** The codes of the header fields. */
const PATH = 1
const INTERFACE = 2
const MEMBER = 3
const ANSWER_TO = 5
const DESTINATION = 6
const SIGNATURE = 8

export function text(value: string): Value {
  return { type: 's', value }
}

/** Registers a name on a bus, and answers the calls to it. @returns a function that disconnects from the bus */
export async function startService(
  busAddress: string,
  name: string,
  answerTo: (call: BusMessage) => Value[],
): Promise<() => void> {
  const [, path = ''] = /unix:path=([^,]+)/.exec(busAddress) ?? []
  const socket = connect(decodeURIComponent(path))
  const uid = Buffer.from(String(process.getuid?.())).toString('hex')
  socket.write(`\0AUTH EXTERNAL ${uid}\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.write('BEGIN\r\n')
  let serial = 0
  const send = (type: number, fields: [number, Value][], values: Value[]) => {
    serial += 1
    socket.write(toBytes({ type, serial, fields, values }))
  }
  const askBus = (member: string, ...values: Value[]) => {
    const path: [number, Value] = [PATH, { type: 'o', value: '/org/freedesktop/DBus' }]
    const [bus, method] = [text('org.freedesktop.DBus'), text(member)]
    send(CALL, [path, [INTERFACE, bus], [MEMBER, method], [DESTINATION, bus]], values)
  }
  await new Promise<void>((resolve) => {
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      const taken = takeMessages(Buffer.concat([rest, chunk]))
      rest = taken.rest
      for (const message of taken.messages) {
        if (message.member === 'NameAcquired' && message.args[0] === name) resolve()
        if (message.type !== CALL) continue
        const to: Value = { type: 'u', value: message.serial }
        const fields: [number, Value][] = [
          [ANSWER_TO, to],
          [DESTINATION, text(message.sender)],
        ]
        send(ANSWER, fields, answerTo(message))
      }
    })
    askBus('Hello')
    askBus('RequestName', text(name), { type: 'u', value: 0 })
  })
  return () => void socket.destroy()
}

interface Parts {
  type: number
  serial: number
  fields: [number, Value][]
  values: Value[]
}

/** A message of D-Bus, little-endian. */
function toBytes({ type, serial, fields, values }: Parts): Buffer {
  const body: number[] = []
  for (const value of values) put(body, value)
  const types = values.map((one) => one.type).join('')
  const header: number[] = []
  for (const [field, value] of [...fields, [SIGNATURE, { type: 'g', value: types }] as const]) {
    align(header, 8)
    header.push(field)
    put(header, { type: 'g', value: value.type })
    put(header, value)
  }
  const start: number[] = ['l'.charCodeAt(0), type, 0, 1]
  for (const value of [body.length, serial, header.length]) put(start, { type: 'u', value })
  // The header is padded, because the body must begin at a multiple of eight.
  align(header, 8)
  return Buffer.from([...start, ...header, ...body])
}

function put(bytes: number[], { type, value }: Value) {
  if (Array.isArray(value)) {
    const items: number[] = []
    for (const one of value) put(items, text(one))
    put(bytes, { type: 'u', value: items.length })
    bytes.push(...items)
  } else if (typeof value === 'number') {
    align(bytes, 4)
    const number = Buffer.alloc(4)
    number.writeUInt32LE(value)
    bytes.push(...number)
  } else {
    if (type === 'g') bytes.push(value.length)
    else put(bytes, { type: 'u', value: Buffer.byteLength(value) })
    bytes.push(...Buffer.from(`${value}\0`))
  }
}

function align(bytes: number[], size: number) {
  while (bytes.length % size > 0) bytes.push(0)
}
