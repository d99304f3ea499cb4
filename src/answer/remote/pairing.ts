import { randomInt, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { putRequest, readRequest, takeBackRequest } from '../../spool/requests.ts'
import { sha256 } from '../../text/sha256.ts'

/** Without letters and digits that look alike. */
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 8
export const PAIRING_MS = 10 * 60_000
/** A guess is one of 850 billion; somebody who guesses ends the pairing. */
const MAX_WRONG = 5

const pairingSchema = z.object({
  channel: z.string(),
  code: z.string().min(CODE_LENGTH).max(CODE_LENGTH),
  /** Unix ms. */
  at: z.number(),
  wrong: z.number().default(0),
  /** How it ended, or what is in the way: for the command that waits. */
  paired: z.string().optional(),
  problem: z.string().optional(),
})

/** A code that was shown in a terminal and must come back by a channel. */
export type Pairing = z.output<typeof pairingSchema>

/** @throws the system error */
export function beginPairing(state: string, channel: string, now: number): Pairing {
  const code = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(
    '',
  )
  const pairing = { channel, code, at: now, wrong: 0 }
  keepPairing(state, pairing)
  return pairing
}

export function readPairing(state: string): Pairing | undefined {
  try {
    return pairingSchema.parse(JSON.parse(readRequest(state, 'pairing') ?? ''))
  } catch {
    return undefined
  }
}

/** The pairing whose code may still come; undefined if there is none. */
export function openPairing(state: string, now: number): Pairing | undefined {
  const pairing = readPairing(state)
  const isOpen =
    pairing &&
    !pairing.paired &&
    pairing.wrong < MAX_WRONG &&
    Math.abs(now - pairing.at) < PAIRING_MS
  return isOpen ? pairing : undefined
}

export function keepPairing(state: string, pairing: Pairing) {
  putRequest(state, 'pairing', JSON.stringify(pairing))
}

export function endPairing(state: string) {
  takeBackRequest(state, 'pairing')
}

/** The code in what somebody wrote: in a group, a bot reads only what begins with a slash. */
export function codeIn(text: string): string | undefined {
  return /^\s*(?:\/pair(?:@\w+)?\s+)?([A-Z\d]{8})\s*$/i.exec(text)?.[1]?.toUpperCase()
}

export function isCodeOf({ code }: Pairing, given: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(code)), Buffer.from(sha256(given)))
}
