import { onTestFinished } from 'vitest'
import {
  type Emulator,
  type EmulatorOptions,
  type FaultInput,
  startEmulator,
} from '../../src/emulator/index.ts'

/** 2026-06-15 12:00 in UTC, a Monday. */
export const NOW = Date.UTC(2026, 5, 15, 12)

export const MINUTE = 60_000

/** A response with its parsed body. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  body: any
}

export interface CallOptions {
  key?: string | null
  body?: unknown
  headers?: Record<string, string>
}

/** Starts an emulator whose clock stays at `NOW` until a test changes it. Closed at the end of the test. */
export async function startTestEmulator(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ now: () => NOW, ...options })
  onTestFinished(() => emulator.close())
  return { ...emulator, ...makeCalls(emulator) }
}

export type TestEmulator = Awaited<ReturnType<typeof startTestEmulator>>

function makeCalls(emulator: Emulator) {
  const call = async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
    const isApp = path.startsWith('/api/organization/')
    const origin = isApp ? emulator.appUrl : emulator.url
    const { key = emulator.apiKey, body } = options
    const headers: Record<string, string> = { ...options.headers }
    if (key !== null) headers.authorization ??= `Bearer ${key}`
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(origin + path, { method, headers, body: sent })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }
  return {
    call,
    get: (path: string, options?: CallOptions) => call('GET', path, options),
    post: (path: string, body?: unknown, options?: CallOptions) =>
      call('POST', path, { body, ...options }),
    put: (path: string, body?: unknown, options?: CallOptions) =>
      call('PUT', path, { body, ...options }),
    delete: (path: string, options?: CallOptions) => call('DELETE', path, options),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A fault from its request matcher and its effect. */
export function makeFault(
  requests: Omit<FaultInput, 'then'>,
  effect: FaultInput['then'],
): FaultInput {
  // biome-ignore lint/suspicious/noThenProperty: never a function, so the object is not a thenable
  return { ...requests, then: effect }
}
