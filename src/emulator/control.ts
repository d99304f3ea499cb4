import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod'
import { settle } from './agent.ts'
import { parseBody } from './body.ts'
import { EmulatorError, parseOr } from './errors.ts'
import { parseFaults } from './faults.ts'
import { ok, Problem, problemReply, type Reply } from './reply.ts'
import type { SeedInput } from './state/seed.ts'
import { viewState } from './state/state.ts'
import type { Running } from './world.ts'

const PREFIX = '/__emulator/'

/** Whether a path belongs to the control API, by which other processes drive the emulator. */
export function isControl(path: string) {
  return path.startsWith(PREFIX)
}

/** A request to the control API. */
interface ControlRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** Answers a request to the control API, which needs no key, is not recorded and is exempt from faults. */
export function handleControl(running: Running, request: ControlRequest): Reply {
  const { method, path, headers, body } = request
  try {
    refuseOrigin(headers)
    const name = `${method} ${path.slice(PREFIX.length)}`
    const action = actions.get(name)
    if (!action) throw unknownControl()
    const reply = action(running, parseBody(body))
    running.save()
    return reply
  } catch (error) {
    if (error instanceof Problem) return problemReply(error, path, '')
    throw error
  }
}

const ClockChange = z
  .strictObject({
    advanceMs: z.int().optional().describe('Move the time by this'),
    now: z.int().min(0).optional().describe('Set the time to this, in Unix milliseconds'),
  })
  .refine((change) => Object.keys(change).length === 1, 'expected either advanceMs or now')

type Action = (running: Running, body: unknown) => Reply

const actions = new Map<string, Action>([
  ['GET faults', ({ faults }) => ok({ faults: faults.list() })],
  [
    'POST faults',
    ({ faults }, body) => {
      const list = Array.isArray(body) ? body : [body]
      const added = refuseBody(() => parseFaults(list, 'body'))
      for (const fault of added) faults.add(fault)
      return ok({ faults: faults.list() })
    },
  ],
  [
    'DELETE faults',
    ({ faults }) => {
      faults.clear()
      return ok({ faults: [] })
    },
  ],
  ['GET requests', ({ journal }) => ok({ requests: journal.list() })],
  [
    'DELETE requests',
    ({ journal }) => {
      journal.clear()
      return ok({ requests: [] })
    },
  ],
  ['GET clock', ({ world }) => ok({ now: world.clock.now() })],
  [
    'POST clock',
    ({ world }, body) => {
      const change = refuseBody(() => parseOr(ClockChange, body, 'body'))
      refuseBody(() => {
        if (change.now !== undefined) world.clock.set(change.now)
        else world.clock.advance(change.advanceMs ?? 0)
      }, RangeError)
      return ok({ now: world.clock.now() })
    },
  ],
  [
    'POST reset',
    (running, body) => {
      // No body, or an empty one: the seed of the start.
      const seed = Object.keys(Object(body)).length > 0 ? (body as SeedInput) : undefined
      refuseBody(() => running.reset(seed))
      return ok({})
    },
  ],
  [
    'GET state',
    ({ world }) => {
      settle(world, world.clock.now())
      return ok(viewState(world.state))
    },
  ],
])

/** Refuses browsers: a web page can reach local ports of its visitor, and the control API needs no key. */
function refuseOrigin({ origin }: IncomingHttpHeaders) {
  if (origin !== undefined) throw new Problem(403, 'Not for web pages: the request has an Origin')
}

function unknownControl() {
  return new Problem(404, `No such control; there are: ${[...actions.keys()].join(', ')}`)
}

/** Turns an error about the body into a 400. Any other error is not the caller's fault. */
function refuseBody<T>(
  read: () => T,
  refusal: typeof EmulatorError | typeof RangeError = EmulatorError,
): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof refusal) throw new Problem(400, error.message)
    throw error
  }
}
