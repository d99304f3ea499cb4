import { describe, expectTypeOf, it } from 'vitest'
import type {
  ApiPromise,
  Client,
  ClientError,
  ContentBlock,
  GroupedToolUsageResponse,
  HttpError,
  ListMessagesResponse,
  Message,
  PageList,
  PartialFailureError,
  Session,
  TextBlock,
  TokenUsageResponse,
  TokenUsageRow,
  ToolUsageResponse,
} from '../../src/api/index.ts'
import { createClient } from '../../src/api/index.ts'

declare const client: Client
const period = { startDate: '2026-02-01', endDate: '2026-02-02' }

describe('the types of the client', () => {
  it('have names for results, pages and items', () => {
    const create = () => client.sessions.create({ computerId: 'c' })
    expectTypeOf(create).returns.toEqualTypeOf<ApiPromise<Session>>()
    const list = () => client.sessions.messages.list({ sessionId: 's' })
    expectTypeOf(list).returns.toEqualTypeOf<PageList<ListMessagesResponse, Message>>()
    // So it can be passed to what takes a promise, such as a helper that measures.
    expectTypeOf(list).returns.toExtend<Promise<ListMessagesResponse>>()
    expectTypeOf<TokenUsageResponse['data'][number]>().toEqualTypeOf<TokenUsageRow>()
  })

  it('distinguish grouped rows from plain ones', () => {
    const plain = () => client.analytics.tools(period)
    const grouped = () => client.analytics.tools({ ...period, groupBy: 'tool_name' })
    const groupBy = undefined as 'tool_name' | undefined
    const either = () => client.analytics.tools({ ...period, ...(groupBy ? { groupBy } : {}) })
    expectTypeOf(plain).returns.toEqualTypeOf<ApiPromise<ToolUsageResponse>>()
    expectTypeOf(grouped).returns.toEqualTypeOf<ApiPromise<GroupedToolUsageResponse>>()
    expectTypeOf(either).returns.toExtend<Promise<ToolUsageResponse | GroupedToolUsageResponse>>()
  })

  it('narrow content blocks by type', () => {
    const read = (block: ContentBlock) => {
      if (block.type !== 'text') return undefined
      expectTypeOf(block).toEqualTypeOf<TextBlock>()
      return block.text
    }
    expectTypeOf(read).returns.toEqualTypeOf<string | undefined>()
  })

  it('narrow errors by kind', () => {
    const read = (error: ClientError) => {
      if (error.kind === 'partial') expectTypeOf(error).toEqualTypeOf<PartialFailureError>()
      if (error.kind !== 'http') return undefined
      expectTypeOf(error).toEqualTypeOf<HttpError>()
      return error.status
    }
    expectTypeOf(read).returns.toEqualTypeOf<number | undefined>()
  })

  it('reject misspelt fields, inputs and options', () => {
    void ((message: Message) => {
      // @ts-expect-error: no such field
      void message.rolle
    })
    // @ts-expect-error: no such input
    void (() => client.sessions.create({ computerId: 'c', cmd: '/' }))
    // @ts-expect-error: no such option
    void (() => client.sessions.create({ computerId: 'c' }, { timeout: 5 }))
    // @ts-expect-error: no such endpoint
    void (() => createClient({ paths: { 'computers.gett': '/' } }))
    // @ts-expect-error: a session is required
    void (() => client.sessions.messages.list({}))
  })

  it('accept lists that may not be changed', () => {
    const users = [{ email: 'ada@example.com', limit: null }] as const
    void (() => client.organization.limits.setUsers({ users }))
    const sessionSettings = { enabledToolIds: ['Read'], tags: [{ name: 'ci' }] } as const
    void (() => client.sessions.create({ computerId: 'c', sessionSettings }))
  })

  it('accept any input where the specification shows none', () => {
    void (() => client.automations.ci.scan({ repoUrl: 'https://example.com/r', page: 2 }))
    void (() => client.automations.ci.repositories({ owner: 'example' }))
    void (() => client.wiki.get({ wikiRunId: 'w', include: ['pages'] }))
    void (() => client.wiki.create())
    // @ts-expect-error: the ID is documented
    void (() => client.wiki.get({}))
  })

  it('accept undefined for optional inputs', () => {
    void (() => client.sessions.create({ computerId: 'c', cwd: undefined }, { retries: undefined }))
  })
})
