import { api } from '../../api/endpoints/index.ts'
import { chosen } from '../choices.ts'
import { ok, Problem } from '../reply.ts'
import { nextId, type WikiRun } from '../state/state.ts'
import { type Context, handle } from '../world.ts'

const { create, get, search, setPrivacy } = api.wiki

export const wiki = [
  handle(create, (input, context) => {
    requireSync(context)
    const { state, now } = context
    const privacy = findText(input, chosen.wikiCreation.value) ?? chosen.wikiRun.value
    const id = nextId(state, 'wiki')
    const run = { id, privacy, createdAt: now, updatedAt: now, request: input }
    state.wikiRuns.push(run)
    return ok(responseOf(run, now))
  }),

  handle(get, ({ wikiRunId }, context) =>
    ok(responseOf(requireRun(context, wikiRunId), context.now)),
  ),

  handle(search, (input, context) => {
    requireRun(context, input.wikiRunId)
    const text = (findText(input, chosen.wikiSearch.value) ?? '').toLowerCase()
    const found = context.world.seed.wikiPages.filter((page) =>
      `${page.title} ${page.text}`.toLowerCase().includes(text),
    )
    const results = found.map(({ title, path, text: excerpt }) => ({ title, path, excerpt }))
    return ok({ results })
  }),

  handle(setPrivacy, (input, context) => {
    const run = requireRun(context, input.wikiRunId)
    const { wikiRunId: _, ...body } = input
    const privacy = findText(body, Object.keys(body))
    if (privacy) Object.assign(run, { privacy, updatedAt: context.now })
    return ok(responseOf(run, context.now))
  }),
]

function requireSync({ world }: Context) {
  if (world.seed.organization.wikiCloudSync) return
  throw new Problem(chosen.wikiSyncOff.value, 'Cloud sync of wikis is off for this organization')
}

function requireRun(context: Context, wikiRunId: string) {
  requireSync(context)
  const found = context.state.wikiRuns.find(({ id }) => id === wikiRunId)
  if (!found) throw new Problem(chosen.unknownWikiRun.value, `No wiki run "${wikiRunId}"`)
  return found
}

function findText(input: Record<string, unknown>, names: readonly string[]) {
  const values = names.map((name) => input[name])
  const isText = (value: unknown) => /string|number/.test(typeof value) && value !== ''
  return values.filter(isText).map(String)[0]
}

function responseOf(run: WikiRun, now: number) {
  const { id: wikiRunId, privacy, createdAt, updatedAt, request } = run
  return { wikiRunId, status: statusOf(run, now), privacy, createdAt, updatedAt, request }
}

function statusOf({ createdAt }: WikiRun, now: number) {
  const { pendingMs, runningMs } = chosen.wikiStates.value
  const age = now - createdAt
  if (age < pendingMs) return 'pending'
  return age < pendingMs + runningMs ? 'running' : 'completed'
}
