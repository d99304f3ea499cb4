import type { Seed } from './state/seed.ts'
import type { Job } from './state/state.ts'

/** A message of the agent or of one of its tools, before it has an ID and a time. */
export interface AgentMessage {
  role: 'assistant' | 'tool'
  content: Record<string, unknown>[]
  [field: string]: unknown
}

/** The agent's messages for one user message: each tool call with its result, then the answer. */
export function scriptOf(seed: Seed, job: Job): AgentMessage[] {
  const { tools, answer } = seed.agent
  const calls = tools.flatMap((tool, index) => {
    const callId = `call_${job.messageId}_${index + 1}`
    return [toolCall(seed, tool, callId), toolResult(tool, callId)]
  })
  const text = answer.replaceAll('{text}', () => job.text)
  return [...calls, finalAnswer(seed, job, text)]
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
