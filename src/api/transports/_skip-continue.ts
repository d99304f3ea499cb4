import type { Socket } from 'node:net'

// All but 101, after which the connection speaks another protocol.
const INTERIM = /^(HTTP\/1\.1 1(?!01)\d\d\b[\s\S]*?\r\n\r\n)+/
const LONGEST_HEAD = 4_096

/**
 * Drops interim responses from what a socket reads. Some servers send a `100 Continue` unasked, even twice; undici
 * treats that as an error and closes the connection although the response follows.
 */
export function skipContinue(socket: Socket) {
  let isHeadExpected = false
  const { read, write } = socket
  socket.write = ((...given: Parameters<Socket['write']>) => {
    isHeadExpected = true
    return write.apply(socket, given)
  }) as Socket['write']
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read.call(socket, size)
    // The first data after a request was written is the head of its response.
    if (!isHeadExpected || !chunk?.length) return chunk
    const [head] = INTERIM.exec(chunk.toString('latin1', 0, LONGEST_HEAD)) ?? []
    isHeadExpected = head !== undefined
    if (!head) return chunk
    const rest = chunk.subarray(head.length)
    return rest.length > 0 ? rest : socket.read(size)
  }
}
