import { validateHeaderName, validateHeaderValue } from 'node:http'
import * as z from 'zod'
import { everything, listEndpoints } from '../api/endpoints/index.ts'
import { didYouMean } from '../text/suggest.ts'
import { parseOr } from './errors.ts'
import { makeRandom, type Random } from './random.ts'
import { readJsonFile } from './state/seed.ts'

const milliseconds = () => z.int().min(0).max(3_600_000)

/** A time, or the shortest and the longest of a random one. */
const delay = () =>
  z.union([
    milliseconds(),
    z
      .tuple([milliseconds(), milliseconds()])
      .refine(([least, most]) => least <= most, { error: 'the first must not be the longer one' }),
  ])

const status = () =>
  z.strictObject({
    status: z.int().min(200).max(599).describe('Answer with this status'),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.unknown().optional().describe('Text is sent unchanged, anything else as JSON'),
    delayMs: delay().optional().describe('Delay of the response'),
  })

const Then = z.union(
  [
    status(),
    z.strictObject({ delayMs: delay().describe('Answer normally, after this delay') }),
    z.strictObject({ hang: z.literal(true).describe('Never answer') }),
    z.strictObject({
      cut: z.enum(['before-headers', 'in-body']).describe('Close the connection there'),
    }),
    z.strictObject({ brokenJson: z.literal(true).describe('Answer with half of the JSON') }),
  ],
  {
    error:
      'expected {status, headers?, body?, delayMs?} with a status of 200 to 599, {delayMs} in ms or as [least, most], ' +
      '{hang: true}, {cut: "before-headers" | "in-body"} or {brokenJson: true}',
  },
)

/** Whether the headers can be sent: Node.js refuses others only when it writes the response. */
function isWritable(headers: Readonly<Record<string, string>>): boolean {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    }
    return true
  } catch {
    return false
  }
}

const ids = () => listEndpoints(everything).map(({ id }) => id)

/** One fault: which requests it applies to, how often, and what happens to them. */
export const Fault = z
  .strictObject({
    endpoint: z.string().optional().describe('ID of an endpoint, such as sessions.create'),
    method: z.string().toUpperCase().optional(),
    path: z.string().startsWith('/').optional().describe('Path; * stands for anything'),
    times: z
      .union([z.int().positive(), z.literal('always')])
      .default(1)
      .describe('How many requests'),
    skip: z.int().min(0).default(0).describe('How many requests pass before the first'),
    chance: z
      .number()
      .positive()
      .max(1)
      .default(1)
      .describe('The probability with which it applies to each of them'),
    random: z
      .string()
      .default('')
      .describe('Other texts give other random requests and delays; the same one, the same'),
    carryOut: z
      .boolean()
      .optional()
      .describe(
        'Whether the request takes effect; by default not for status, hang and before-headers',
      ),
    // biome-ignore lint/suspicious/noThenProperty: never a function, so nothing takes it for a promise
    then: Then,
  })
  .refine(({ endpoint }) => endpoint === undefined || ids().includes(endpoint), {
    path: ['endpoint'],
    error: ({ input }) => {
      const { endpoint } = Object(input)
      return `no endpoint "${endpoint}". ${didYouMean(String(endpoint), ids())}`
    },
  })
  .refine(({ then }) => !('headers' in then) || isWritable(then.headers), {
    path: ['then', 'headers'],
    error: 'a name or a value is not allowed in HTTP',
  })
  .refine(({ endpoint, method, path }) => endpoint ?? method ?? path, {
    error: 'names no request: give endpoint, method or path',
  })

/** The contents of a fault file: a list of faults. */
export const FaultFile = z.array(Fault)

export type Fault = z.output<typeof Fault>
export type FaultInput = z.input<typeof Fault>

/** The pending faults. The first one that matches a request applies to it. */
export interface Faults {
  add(fault: FaultInput): void
  clear(): void
  /** The pending faults, with the occurrences that are left. */
  list(): readonly Fault[]
}

interface Request {
  endpoint?: string
  method: string
  path: string
}

/** Makes a list of faults; `take` uses up one occurrence. */
export function makeFaults() {
  let pending: { fault: Fault; random: Random }[] = []
  return {
    add(given: FaultInput) {
      const fault = parseOr(Fault, given, 'fault')
      pending.push({ fault, random: makeRandom(`fault ${fault.random}`) })
    },
    clear() {
      pending = []
    },
    list: (): readonly Fault[] => structuredClone(pending.map(({ fault }) => fault)),
    /** The fault of a request, if it has one. */
    take(request: Request): TakenFault | undefined {
      for (const { fault, random } of pending.filter(({ fault }) => fits(fault, request))) {
        if (fault.skip === 0 && random.happens(fault.chance)) {
          useUp(fault)
          pending = pending.filter(({ fault: { times } }) => times !== 0)
          return { fault, delayMs: delayOf(fault, random) }
        }
        if (fault.skip > 0) fault.skip -= 1
      }
      return undefined
    },
  }
}

/** A fault that happens to a request, with a delay that is no longer random. */
export interface TakenFault {
  fault: Fault
  delayMs: number
}

function delayOf({ then }: Fault, random: Random): number {
  const delayMs = ('delayMs' in then && then.delayMs) || 0
  return typeof delayMs === 'number' ? delayMs : random.int(...delayMs)
}

/** Checks a list of faults. */
export function parseFaults(value: unknown, source = 'faults'): Fault[] {
  return parseOr(FaultFile, value, source)
}

/** Reads a fault file; errors name the file and the field. */
export async function loadFaults(file: string): Promise<Fault[]> {
  return parseFaults(await readJsonFile(file, 'fault file'), `fault file "${file}"`)
}

/** Whether the request takes effect despite its fault. */
export function isCarriedOut({ then, carryOut }: Fault) {
  if (carryOut !== undefined) return carryOut
  if ('status' in then || 'hang' in then) return false
  return !('cut' in then && then.cut === 'before-headers')
}

function useUp(fault: Fault) {
  if (fault.times !== 'always') fault.times -= 1
}

function fits({ endpoint, method, path }: Fault, request: Request) {
  if (endpoint !== undefined && endpoint !== request.endpoint) return false
  if (method !== undefined && method !== request.method) return false
  return path === undefined || toPattern(path).test(request.path)
}

function toPattern(path: string) {
  const parts = path.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`)
}
