import { makeRandom, type Random } from './random.ts'

const models = ['emulated-model', 'emulated-thinker'] as const
const tools = ['Read', 'Edit', 'Execute', 'Grep', 'Create'] as const
// Letter case differs on purpose: the platform reports names unchanged.
const servers = ['linear', 'Linear', 'sentry'] as const
const skills = ['review', 'release'] as const
const commands = ['compact', 'model', 'help'] as const
const hookEvents = ['Notification', 'Stop', 'PostToolUse'] as const
const extensions = { ts: 'TypeScript', py: 'Python', md: 'Markdown' } as const
const clients = ['terminal-ui', 'web', 'non-interactive-cli'] as const
const levels = ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'] as const

export interface TokenCounts {
  billable_tokens: number
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_write_tokens: number
}

export type Counts = Readonly<Record<string, number>>

/** What one user did on one day. All analytics figures are computed from these. */
export interface UserDay {
  date: string
  userId: string
  email: string | null
  clients: readonly string[]
  sessions: number
  userMessages: number
  assistantMessages: number
  tokensByModel: Readonly<Record<string, TokenCounts>>
  toolCalls: Counts
  mcpCalls: Counts
  skills: Counts
  commands: Counts
  hooks: Counts
  filesByExtension: Counts
  filesCreated: number
  filesEdited: number
  commits: number
  pullRequests: number
  level: (typeof levels)[number]
}

export interface AnalyticsUser {
  id: string
  email: string | null
}

/** The language of a file extension. */
export function languageOf(extension: string) {
  return new Map(Object.entries(extensions)).get(extension) ?? extension
}

/** What a user did on a day; undefined if the user did nothing. Depends on nothing but the arguments. */
export function makeUserDay(seed: string, user: AnalyticsUser, date: string): UserDay | undefined {
  const random = makeRandom(`${seed}|${user.id}|${date}`)
  if (!random.happens(isWeekend(date) ? 0.3 : 0.85)) return undefined
  const sessions = random.int(1, 6)
  const userMessages = sessions * random.int(1, 8)
  const filesCreated = random.int(0, 4)
  const filesEdited = random.int(0, 12)
  const hooks = counts(random, hookEvents, 6)
  return {
    date,
    userId: user.id,
    email: user.email,
    clients: someOf(random, clients),
    sessions,
    userMessages,
    assistantMessages: userMessages + random.int(0, userMessages),
    tokensByModel: Object.fromEntries(
      someOf(random, models).map((model) => [model, tokenCounts(random)]),
    ),
    toolCalls: counts(random, tools, 40),
    mcpCalls: random.happens(0.5) ? counts(random, servers, 9) : {},
    skills: counts(random, skills, 2),
    commands: counts(random, commands, 3),
    hooks,
    filesByExtension: spread(random, filesCreated + filesEdited),
    filesCreated,
    filesEdited,
    commits: random.int(0, 5),
    pullRequests: random.int(0, 2),
    level: random.pick(levels),
  }
}

function isWeekend(date: string) {
  return [0, 6].includes(new Date(date).getUTCDay())
}

function someOf<T>(random: Random, values: readonly [T, ...T[]]): T[] {
  const first = random.pick(values)
  return values.filter((value) => value === first || random.happens(0.3))
}

function counts(random: Random, names: readonly string[], most: number): Counts {
  const all = names.map((name): [string, number] => [name, random.int(0, most)])
  return Object.fromEntries(all.filter(([, count]) => count > 0))
}

function tokenCounts(random: Random): TokenCounts {
  const input = random.int(10_000, 900_000)
  const output = random.int(1_000, 90_000)
  const read = random.int(0, input)
  return {
    // Tokens from a cache cost a tenth.
    billable_tokens: input - read + Math.round(read / 10) + output,
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: random.int(0, input - read),
  }
}

function spread(random: Random, files: number): Counts {
  const found: Record<string, number> = {}
  const names = Object.keys(extensions)
  for (let file = 0; file < files; file += 1) {
    const name = names[random.int(0, names.length - 1)] ?? 'ts'
    found[name] = (found[name] ?? 0) + 1
  }
  return found
}
