import { createServer } from 'node:http'

/** How many messages the session has. */
const TOTAL = 100_000

const text = 'All tests pass now; the last one needed a longer wait. '.repeat(4)

function message(n: number) {
  const content = [{ type: 'text', text, id: `b${n}` }]
  return { id: `m${n}`, role: 'assistant', content, createdAt: n, updatedAt: n, visibility: 'both' }
}

const computer = JSON.stringify({
  id: 'c-1',
  name: 'builder',
  providerType: 'byom',
  createdAt: 1_770_000_000_000,
  status: 'active',
  hostId: '1f6c2f2e-3a51-4a5c-9c0d-0f2f6a7b8c9d',
  clonedRepoDirectories: ['/home/me/one', '/home/me/two'],
})

function page(search: URLSearchParams) {
  const size = Number(search.get('limit') ?? 20)
  const from = Number(search.get('cursor') ?? 0)
  const messages = Array.from({ length: Math.min(size, TOTAL - from) }, (_, i) => message(from + i))
  const hasMore = from + size < TOTAL
  return JSON.stringify({
    messages,
    pagination: { hasMore, nextCursor: hasMore ? `${from + size}` : null },
  })
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://x')
  const body = url.pathname.endsWith('/messages') ? page(url.searchParams) : computer
  response.setHeader('content-type', 'application/json')
  response.end(body)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
