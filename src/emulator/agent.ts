import type { Seed } from './state/seed.ts'
import { type Job, nextId, type SessionState, type State } from './state/state.ts'
import type { World } from './world.ts'

/**
 * Advances every session to where the agent would be by now. There are no timers: each request catches
 * up on the time since the last one, so a moved clock or a restart needs no special handling.
 */
export function settle({ seed, state }: World, now: number) {
  for (const session of state.sessions) {
    while (session.jobs[0] && takeStep(seed, state, session, session.jobs[0], now)) {}
  }
}

/** Lets the agent finish all jobs of a session at once. */
export function finishNow({ seed, state }: World, session: SessionState, now: number) {
  const instant = { ...seed, agent: { ...seed.agent, pendingMs: 0, stepMs: 0 } }
  while (session.jobs[0] && takeStep(instant, state, session, session.jobs[0], now)) {}
}

/** Does the next step of a job if it is due. Step 0 starts the job, each other step adds a message. */
function takeStep(seed: Seed, state: State, session: SessionState, job: Job, now: number) {
  const plan = planOf(seed, session, job)
  const dueAt = plan.dueAt(job.step)
  if (dueAt > now) return false
  if (job.step === 0) {
    session.status = 'running'
    session.updatedAt = dueAt
    job.step = 1
    return true
  }
  const message = plan.script[job.step - 1]
  const parentId = parentOf(session, job, message)
  if (message) say(seed, state, session, { ...message, parentId }, dueAt)
  job.step += 1
  if (job.step > plan.script.length) finish(session, dueAt)
  return true
}

/** What the agent does with a message, and when. */
interface Plan {
  script: AgentMessage[]
  dueAt(step: number): number
}

function planOf(seed: Seed, session: SessionState, job: Job): Plan {
  const { pendingMs, stepMs } = seed.agent
  const rule = ruleFor(seed, session, job)
  const script = scriptOf(seed, session, job, rule)
  const { afterMs } = rule ?? {}
  const timeOf = (step: number) =>
    job.startAt +
    (afterMs === undefined ? pendingMs + step * stepMs : (afterMs * step) / script.length)
  return {
    script,
    dueAt(step) {
      if (step < script.length || (!rule?.hang && rule?.ask === undefined)) return timeOf(step)
      // The next message of the session is the answer to the question.
      const next = rule.hang ? undefined : session.jobs[1]
      return next ? Math.max(timeOf(step), next.startAt) : Infinity
    },
  }
}

type Rule = Seed['agent']['script'][number]

function ruleFor({ agent }: Seed, { id, messages }: SessionState, job: Job): Rule | undefined {
  const own = messages.filter(({ role }) => role === 'user')
  const number = own.findIndex((message) => message.id === job.messageId) + 1
  const contains = (text: string) => job.text.toLowerCase().includes(text.toLowerCase())
  return agent.script.find(
    ({ when: { session, text, message } }) =>
      (session === undefined || session === id) &&
      (text === undefined || contains(text)) &&
      (message === undefined || message === number),
  )
}

/** What a message follows: the user's message, the call of the tool, or whatever was said last. */
function parentOf({ messages }: SessionState, job: Job, message: AgentMessage | undefined) {
  if (job.step === 1) return job.messageId
  const isResult = message?.role === 'tool'
  return (isResult ? messages.findLast(({ role }) => role === 'assistant') : messages.at(-1))?.id
}

function say(seed: Seed, state: State, session: SessionState, message: AgentMessage, at: number) {
  const id = nextId(state, 'msg')
  session.messages.push({ ...message, id, createdAt: at, updatedAt: at })
  session.updatedAt = at
  count(session, `${seed.names.service}Credits`, message)
}

// Four characters make about one token.
const CHARACTERS_PER_TOKEN = 4

function count({ usage }: SessionState, creditsField: string, { role, content }: AgentMessage) {
  const tokens = Math.ceil(JSON.stringify(content).length / CHARACTERS_PER_TOKEN)
  const field = role === 'assistant' ? 'outputTokens' : 'inputTokens'
  usage[field] = (usage[field] ?? 0) + tokens
  usage[creditsField] = (usage[creditsField] ?? 0) + tokens
}

function finish(session: SessionState, at: number) {
  session.jobs.shift()
  session.completedAt = at
  const [next] = session.jobs
  session.status = next ? 'pending' : 'idle'
  if (next) next.startAt = at
}

/** A message of the agent or of one of its tools, before it has an ID and a time. */
interface AgentMessage {
  role: 'assistant' | 'tool'
  content: Record<string, unknown>[]
  [field: string]: unknown
}

/** The agent's messages for one user message: each tool call with its result, then how it ends. */
function scriptOf(
  seed: Seed,
  { jobs }: SessionState,
  job: Job,
  rule: Rule | undefined,
): AgentMessage[] {
  const given: Partial<Rule> = rule ?? { tools: seed.agent.tools }
  const { tools = [], ask, fail, answer = seed.agent.answer } = given
  const calls = tools.flatMap((tool, index) => {
    const callId = `call_${job.messageId}_${index + 1}`
    return [toolCall(seed, tool, callId), toolResult(tool, callId)]
  })
  if (fail !== undefined) return [...calls, { ...finalAnswer(seed, job, fail), isError: true }]
  if (ask === undefined)
    return [
      ...calls,
      finalAnswer(
        seed,
        job,
        answer.replaceAll('{text}', () => job.text),
      ),
    ]
  const question = { name: 'AskUser', input: { question: ask }, result: jobs[1]?.text ?? '' }
  const callId = `call_${job.messageId}_ask`
  return [...calls, toolCall(seed, question, callId), toolResult(question, callId)]
}

type Tool = Seed['agent']['tools'][number]

function toolCall(seed: Seed, { name, input = {} }: Tool, callId: string): AgentMessage {
  return {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: `I need ${name}.`, signature: `sig_${callId}`, durationMs: 1 },
      { type: 'tool_use', id: callId, name, input },
    ],
    ...common(seed),
    ...providerFields(seed, callId, 'commentary'),
  }
}

function toolResult({ result, isError = false }: Tool, callId: string): AgentMessage {
  return {
    role: 'tool',
    content: [{ type: 'tool_result', toolUseId: callId, content: result, isError }],
    visibility: 'both',
    isError,
  }
}

function finalAnswer(seed: Seed, { messageId }: Job, text: string): AgentMessage {
  return {
    role: 'assistant',
    content: [{ type: 'text', text, id: `text_${messageId}` }],
    ...common(seed),
    ...providerFields(seed, messageId, 'final_answer'),
  }
}

function common({ agent }: Seed) {
  return { visibility: 'both', modelId: agent.model, reasoningEffort: 'none' }
}

/** The fields that are named after model providers. */
function providerFields({ names }: Seed, id: string, phase: string) {
  const { firstProvider, secondProvider } = names
  return {
    [`${firstProvider}MessageId`]: `provider_${id}`,
    [`${firstProvider}Phase`]: phase,
    [`${firstProvider}ReasoningId`]: `reasoning_${id}`,
    [`${firstProvider}ReasoningSummary`]: 'Thought about it.',
    [`${firstProvider}EncryptedContent`]: 'ZW11bGF0ZWQ=',
    [`${secondProvider}ThoughtSignature`]: `thought_${id}`,
  }
}
