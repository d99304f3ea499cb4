import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { Computer } from '../../api/endpoints/computers.ts'
import { ReadinessReport } from '../../api/endpoints/readiness.ts'
import { Message } from '../../api/endpoints/sessions.ts'
import { chosen } from '../choices.ts'
import { EmulatorError, parseOr } from '../errors.ts'
import * as defaults from './default-seed.ts'
import { role } from './state.ts'

const id = () => z.string().min(1)
const milliseconds = () => z.int().min(0).max(86_400_000)
const limit = () => z.int().min(0)

const User = z.strictObject({
  id: id(),
  email: z.string().min(1).describe('E-mail address of the user'),
  role: role().default('user'),
  apiKey: id().optional().describe('API key of the user; none if left out'),
  hasEmailInAnalytics: z
    .boolean()
    .default(true)
    .describe('If false, analytics has null instead of the address'),
})

const ServiceAccount = z.strictObject({
  id: id(),
  name: id(),
  role: role().default(chosen.serviceAccountRole.value),
  keys: z
    .array(
      z.strictObject({
        id: id(),
        name: id(),
        value: id(),
        expiresAt: z.int().positive().optional().describe('Unix milliseconds'),
      }),
    )
    .default([]),
})

const SeedComputer = Computer().extend({
  ownerId: id().describe('ID of a user or of a service account'),
  status: z.enum(['provisioning', 'active', 'error']).default('active'),
  providerType: z.string().default('byom'),
  createdAt: z.number().default(defaults.SEEDED_AT),
  apiKey: id().optional().describe('API key of the computer, revoked when the computer is deleted'),
})

const Session = z.strictObject({
  id: id(),
  computerId: id(),
  title: z.string().optional(),
  createdAt: z.int().default(defaults.SEEDED_AT),
  messages: z
    .array(Message().partial({ id: true, createdAt: true, updatedAt: true }))
    .default([])
    .describe('Oldest first; any field of a message'),
})

const Tools = z.array(
  z.strictObject({
    name: id(),
    input: z.unknown().optional(),
    result: z.string(),
    isError: z.boolean().optional(),
  }),
)

const outcomes = ['answer', 'ask', 'fail', 'hang'] as const

const AgentRule = z
  .strictObject({
    when: z
      .strictObject({
        session: id().optional().describe('ID of the session'),
        text: z.string().optional().describe('What the message contains, in any letter case'),
        message: z.int().positive().optional().describe('Which user message of the session'),
      })
      .default({})
      .describe('All of these must be true; without any, the rule is for every message'),
    afterMs: milliseconds()
      .optional()
      .describe('Time from the start of the work to its end; by default as without a rule'),
    tools: Tools.optional().describe('Tools the agent calls before; by default none'),
    answer: z.string().optional().describe('Answer; {text} stands for the message'),
    ask: z
      .string()
      .optional()
      .describe('Asks this with the tool AskUser, and waits for the next message'),
    fail: z.string().optional().describe('Ends with an error message'),
    hang: z.literal(true).optional().describe('Works for ever'),
  })
  .refine((rule) => outcomes.filter((name) => rule[name] !== undefined).length <= 1, {
    error: 'has more than one of answer, ask, fail and hang',
  })

const Agent = z.strictObject({
  pendingMs: milliseconds().default(100).describe('How long a message waits for the agent'),
  stepMs: milliseconds().default(100).describe('How long the agent takes for each step'),
  instant: z
    .boolean()
    .default(chosen.waiting.value)
    .describe('The agent is done before the response is sent'),
  model: id().default('emulated-model'),
  script: z
    .array(AgentRule)
    .default([])
    .describe('What the agent does with which message: the first rule that fits'),
  tools: Tools.default(defaults.agentTools).describe(
    'Tools the agent calls for every message that no rule is for',
  ),
  answer: z
    .string()
    .default('Done: {text}')
    .describe('Answer of the agent; {text} stands for the message'),
})

const Repository = z.strictObject({
  id: id(),
  url: id(),
  defaultBranch: id().default('main'),
  workflows: z.array(z.strictObject({ path: id(), provider: id() })).default([]),
})

const Parts = z.strictObject({
  organization: z
    .strictObject({
      id: id().default('org_emulator'),
      sessionMessages: z.boolean().default(true).describe('Sessions and messages are enabled'),
      wikiCloudSync: z.boolean().default(true).describe('Wikis may be synchronized'),
      integrations: z.array(id()).default(['github']).describe('Source-control integrations'),
    })
    .prefault({}),
  names: z
    .strictObject({
      service: id().default('factory').describe('Prefix of the credits field'),
      firstProvider: id().default('openai').describe('Prefix of reasoning fields'),
      secondProvider: id().default('gemini').describe('Prefix of the thought signature'),
    })
    .prefault({}),
  behavior: z
    .strictObject({
      deletionStatus: z
        .union([z.literal(200), z.literal(204)])
        .default(chosen.deletionStatus.value),
      readinessAddress: z
        .enum(['both', 'specification', 'renamed'])
        .default(chosen.readinessAddress.value),
      maxBodyBytes: z.int().positive().default(chosen.bodySize.value.bytes),
    })
    .prefault({}),
  users: z.array(User).prefault(defaults.users),
  invitations: z.array(z.strictObject({ email: id() })).default(defaults.invitations),
  serviceAccounts: z.array(ServiceAccount).prefault(defaults.serviceAccounts),
  computers: z.array(SeedComputer).optional(),
  sessions: z.array(Session).optional(),
  limits: z
    .strictObject({
      global: limit().nullable().default(null),
      users: z.record(z.string(), limit()).default({}).describe('Credits by e-mail address'),
    })
    .prefault({}),
  agent: z.preprocess(asAgent, Agent).prefault({}),
  repositories: z.array(Repository).prefault(defaults.repositories),
  wikiRuns: z
    .array(z.strictObject({ id: id(), privacy: id().default(chosen.wikiRun.value) }))
    .prefault(defaults.wikiRuns),
  wikiPages: z
    .array(z.strictObject({ title: id(), path: id(), text: z.string() }))
    .default(defaults.wikiPages),
  readinessReports: z
    .array(ReadinessReport().extend({ repoId: id() }))
    .default(defaults.readinessReports),
  analytics: z
    .strictObject({ seed: z.string().default(chosen.analyticsData.value) })
    .prefault({})
    .describe('Other seeds give other figures'),
})

/** What the emulator starts with. Everything may be left out; a list that is given replaces the default list. */
export const Seed = Parts.transform(fillIn).superRefine(checkSeed)

/** A list is the script of an agent that is otherwise the usual one. */
function asAgent(given: unknown) {
  return Array.isArray(given) ? { script: given } : given
}

/** Adds the default computers and sessions whose owners and computers exist. */
function fillIn(parts: z.output<typeof Parts>) {
  const owners = new Set([...parts.users, ...parts.serviceAccounts].map(({ id }) => id))
  const computers = parts.computers ?? defaultComputers(owners)
  const ids = new Set(computers.map(({ id }) => id))
  return { ...parts, computers, sessions: parts.sessions ?? defaultSessions(ids) }
}

function defaultComputers(owners: ReadonlySet<string>) {
  const all = z.array(SeedComputer).parse(defaults.computers)
  return all.filter(({ ownerId }) => owners.has(ownerId))
}

function defaultSessions(computers: ReadonlySet<string>) {
  const all = z.array(Session).parse(defaults.sessions)
  return all.filter(({ computerId }) => computers.has(computerId))
}

export type Seed = z.output<typeof Seed>

/** What may be written in a seed file, or passed as `seed`. */
export type SeedInput = Omit<z.input<typeof Seed>, 'agent'> & {
  /** The agent, or the script of one that is otherwise the usual one. */
  agent?: z.input<typeof Agent> | z.input<typeof AgentRule>[] | undefined
}

/** Checks a seed and fills in the defaults. */
export function parseSeed(value: unknown, source = 'seed'): Seed {
  return parseOr(Seed, value, source)
}

/** Reads a seed file; errors name the file and the field. */
export async function loadSeed(file: string): Promise<Seed> {
  return parseSeed(await readJsonFile(file, 'seed file'), `seed file "${file}"`)
}

/** Reads a JSON file that a person has written, on Windows perhaps with a byte order mark. */
export async function readJsonFile(file: string, what: string): Promise<unknown> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new EmulatorError(`${what} "${file}": cannot be read`, { cause })
  })
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new EmulatorError(`${what} "${file}": not JSON: ${why}`, { cause })
  }
}

/** The parts of a seed that refer to one another. */
interface Parts {
  users: readonly { id: string; email: string; role: string; apiKey?: string }[]
  invitations: readonly { email: string }[]
  serviceAccounts: readonly {
    id: string
    keys: readonly { id: string; value: string }[]
  }[]
  computers: readonly { id: string; name: string; ownerId: string; apiKey?: string }[]
  sessions: readonly {
    id: string
    computerId: string
    messages: readonly { id?: string | undefined }[]
  }[]
  wikiRuns: readonly { id: string }[]
  readinessReports: readonly { reportId: string }[]
}

/** Reports duplicate IDs, dangling references, and the lack of an owner or manager with a key. */
function checkSeed(seed: Parts, context: z.core.$RefinementCtx<unknown>) {
  const report = (path: PropertyKey[], message: string) =>
    context.addIssue({ code: 'custom', path, message, input: seed })
  for (const [path, values] of uniqueLists(seed)) {
    const seen = new Set<string>()
    const twice = values.find((value) => seen.size === seen.add(value).size)
    if (twice !== undefined) report(path, `duplicate "${twice}"`)
  }
  const owners = [...seed.users, ...seed.serviceAccounts].map(({ id }) => id)
  for (const [index, { ownerId }] of seed.computers.entries()) {
    if (owners.includes(ownerId)) continue
    report(['computers', index, 'ownerId'], `no user or service account "${ownerId}"`)
  }
  const computers = seed.computers.map(({ id }) => id)
  for (const [index, { computerId }] of seed.sessions.entries()) {
    if (computers.includes(computerId)) continue
    report(['sessions', index, 'computerId'], `no computer "${computerId}"`)
  }
  if (!seed.users.some(isUsableManager)) {
    report(['users'], 'one owner or manager with an apiKey is needed')
  }
}

function uniqueLists(seed: Parts): [path: PropertyKey[], values: string[]][] {
  const { users, invitations, serviceAccounts, computers, sessions, wikiRuns } = seed
  const people = [...users, ...invitations].map(({ email }) => email.toLowerCase())
  const keys = serviceAccounts.flatMap((account) => account.keys)
  const own = [...users, ...computers].flatMap(({ apiKey }) => (apiKey ? [apiKey] : []))
  return [
    [['users'], [...users, ...serviceAccounts].map(({ id }) => id)],
    [['users'], people],
    [['serviceAccounts'], keys.map(({ id }) => id)],
    [['serviceAccounts'], [...keys.map(({ value }) => value), ...own]],
    [['computers'], computers.map(({ id }) => id)],
    [['computers'], computers.map(({ name }) => name)],
    [['sessions'], sessions.map(({ id }) => id)],
    ...sessions.map(({ messages }, index): [PropertyKey[], string[]] => [
      ['sessions', index, 'messages'],
      messages.flatMap(({ id }) => id ?? []),
    ]),
    [['wikiRuns'], wikiRuns.map(({ id }) => id)],
    [['readinessReports'], seed.readinessReports.map(({ reportId }) => reportId)],
  ]
}

function isUsableManager({ role, apiKey }: Parts['users'][number]) {
  return apiKey !== undefined && (role === 'owner' || role === 'manager')
}
