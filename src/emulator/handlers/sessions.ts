import type { Output } from '../../api/endpoints/endpoint.ts'
import { api } from '../../api/endpoints/index.ts'
import { finishNow } from '../agent.ts'
import { mayUse, requireComputer } from '../auth.ts'
import { chosen } from '../choices.ts'
import { ok, Problem } from '../reply.ts'
import { newSession, nextId, type SessionState } from '../state/state.ts'
import { type CheckedInput, type Context, handle } from '../world.ts'

const { create, messages } = api.sessions

export const sessions = [
  handle(create, (input, context) => {
    requireFeature(context)
    const { state, now } = context
    const computer = requireComputer(context, input.computerId)
    if (computer.status !== 'active') throw notReady(computer.status)
    const id = nextId(state, 'sess')
    const settings = { ...input.sessionSettings }
    const session = newSession({ id, computerId: computer.id, now, settings })
    state.sessions.push(session)
    return { status: 201, body: sessionBody(session, context) }
  }),

  handle(messages.add, (input, context) => {
    const { state, now, world } = context
    const session = readSession(context, input)
    if (session.settings.archivedAt !== undefined) throw archived(session)
    const id = nextId(state, 'msg')
    session.messages.push({
      id,
      role: 'user',
      content: contentOf(input, id),
      createdAt: now,
      updatedAt: now,
      parentId: session.messages.at(-1)?.id,
      userMessageSource: chosen.messageSource.value,
      visibility: 'both',
    })
    session.title ??= input.text.slice(0, TITLE_LENGTH)
    session.updatedAt = now
    session.jobs.push({ messageId: id, text: input.text, startAt: now, step: 0 })
    if (session.status === 'idle') session.status = 'pending'
    if (world.seed.agent.instant) finishNow(world, session, now)
    return ok({ messageId: id, status: session.status })
  }),

  handle(messages.list, (input, context) => {
    const session = readSession(context, input)
    const isWanted = ({ role }: Entry) => input.role === undefined || role === input.role
    const { found, pagination } = pageOf(session.messages, input, isWanted)
    return ok(messages.list.response.parse({ messages: found, pagination }))
  }),
]

const TITLE_LENGTH = 60

/** A session that the caller may read; throws a 403 or 404 otherwise. */
export function readSession(context: Context, wanted: { sessionId: string; computerId?: string }) {
  requireFeature(context)
  const session = requireSession(context, wanted.sessionId)
  requireAccess(context, session, wanted.computerId)
  return session
}

/** Throws a 403 if the organization has no sessions. */
export function requireFeature({ world }: Context) {
  if (world.seed.organization.sessionMessages) return
  throw new Problem(
    chosen.sessionGate.value,
    'Sessions and messages are not enabled for this organization',
  )
}

function requireSession({ state }: Context, sessionId: string) {
  const found = state.sessions.find(({ id }) => id === sessionId)
  if (!found) throw new Problem(404, `No session "${sessionId}"`)
  return found
}

function requireAccess(context: Context, session: SessionState, computerId?: string) {
  if (!mayRead(context, session)) {
    throw new Problem(chosen.computerAccess.value, `Computer "${session.computerId}" is not yours`)
  }
  if (computerId === undefined || computerId === session.computerId) return
  const detail = `Session "${session.id}" does not run on computer "${computerId}"`
  throw new Problem(chosen.otherComputer.value, detail)
}

/** Whether the caller may read a session. */
export function mayRead(context: Context, { computerId }: SessionState) {
  // Includes deleted computers: their archived sessions stay readable for the same people.
  const computer = context.state.computers.find(({ id }) => id === computerId)
  return computer !== undefined && mayUse(context, computer)
}

function notReady(computerStatus: string) {
  const detail = `body.computerId: the computer is not active but "${computerStatus}"`
  const metadata = { computerStatus }
  return new Problem(chosen.sessionOnUnreadyComputer.value, detail, { metadata })
}

function archived({ id, settings }: SessionState) {
  const metadata = { archivedAt: settings.archivedAt }
  return new Problem(chosen.archivedSession.value, `Session "${id}" is archived`, { metadata })
}

/** A session as responses have it. */
export function sessionBody(session: SessionState, { world }: Context): Output<typeof create> {
  const { id, status, createdAt, updatedAt, title, completedAt, computerId } = session
  const tokenUsage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheCreationTokens: 0,
    cacheReadTokens: 0,
    thinkingTokens: 0,
    [`${world.seed.names.service}Credits`]: 0,
    ...session.usage,
  }
  return create.response.parse({
    sessionId: id,
    status,
    messageCount: session.messages.length,
    createdAt,
    updatedAt,
    title,
    completedAt,
    computerId,
    sessionSettings: { ...session.settings, tokenUsage, inclusiveTokenUsage: tokenUsage },
  })
}

type Added = CheckedInput<typeof api.sessions.messages.add>

/** The blocks of an added message: its text, then images, then files. */
function contentOf({ text, images = [], files = [] }: Added, messageId: string) {
  return [
    { type: 'text', text, id: `text_${messageId}` },
    ...images.map(({ data, mediaType = 'image/png' }) => ({
      type: 'image',
      source: { type: 'base64', data, mediaType },
    })),
    ...files.map(({ data, mediaType = 'text/plain', name }) => ({
      type: 'document',
      name,
      source: { type: 'base64', data, mediaType },
    })),
  ]
}

type Entry = SessionState['messages'][number]

/** A page of a list. The cursor is the ID of the last item of the previous page. */
export function pageOf<Item extends { id: string }>(
  all: readonly Item[],
  { limit = chosen.messagePageSize.value, cursor }: { limit?: number; cursor?: string },
  isWanted: (item: Item) => boolean = () => true,
) {
  // The cursor is looked up before items are left out: it stays valid if another role is asked for.
  const rest = cursor === undefined ? all : all.slice(indexOf(all, cursor) + 1)
  const wanted = rest.filter(isWanted)
  const found = wanted.slice(0, limit)
  const hasMore = wanted.length > limit
  const nextCursor = hasMore ? (found.at(-1)?.id ?? null) : null
  return { found, pagination: { hasMore, nextCursor } }
}

function indexOf(all: readonly { id: string }[], cursor: string) {
  const index = all.findIndex(({ id }) => id === cursor)
  if (index < 0) throw new Problem(chosen.messageCursor.value, `query.cursor: no page "${cursor}"`)
  return index
}
