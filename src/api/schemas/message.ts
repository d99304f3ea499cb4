import * as z from 'zod'
import { once } from '../once.ts'
import { ContentBlock } from './content-block.ts'
import { openEnum } from './open.ts'
import { providerFields } from './provider-fields.ts'
import { interactionMode, reasoningEffort } from './session.ts'

const hookFields = once(() => ({
  hookEventName: z.string().optional().describe('Event that ran the hook'),
  hookMatcher: z.string().optional().describe('Matcher of the hook'),
  hookToolCallId: z.string().optional().describe('ID of the tool call the hook ran for'),
  hookCommands: z
    .array(
      z.looseObject({
        command: z.string().optional().describe('Command line'),
        timeout: z.number().optional().describe('Time limit in seconds'),
      }),
    )
    .optional()
    .describe('Commands of the hook'),
  // `completed` and `error` are from the public documentation.
  hookStatus: openEnum(['executing', 'completed', 'error'])
    .optional()
    .describe('State of the hook'),
  hookResults: z
    .array(
      z.looseObject({
        exitCode: z.number().optional().describe('Exit code of the command'),
        stdout: z.string().optional().describe('Standard output of the command'),
        stderr: z.string().optional().describe('Standard error of the command'),
        suppressOutput: z.boolean().optional().describe('Whether the output is hidden'),
      }),
    )
    .optional()
    .describe('Results of the commands'),
  hookStartTime: z.number().optional().describe('When the hook started'),
  hookEndTime: z.number().optional().describe('When the hook ended'),
}))

// From the public documentation, apart from `web`; the list grows.
const userMessageSource = once(() =>
  openEnum([
    'web',
    'desktop',
    'cli_tui',
    'cli_exec',
    'cli_acp',
    'slack',
    'linear',
    'sessions_api',
    'api',
    'automation',
    'readiness-remediation',
    'readiness-evaluation',
    'wiki-generation',
    'wiki-ci-setup',
  ]),
)

// From the public documentation: required fields, the role `system`, all values of `visibility` but `both`.
export const Message = once(() =>
  z
    .looseObject({
      id: z.string().describe('Message ID'),
      role: openEnum(['user', 'assistant', 'tool', 'system']).describe('Who wrote the message'),
      content: z.array(ContentBlock()).describe('What the message says, in blocks'),
      createdAt: z.number().describe('When the message was created, in Unix milliseconds'),
      updatedAt: z.number().describe('When the message was last changed, in Unix milliseconds'),
      parentId: z.string().optional().describe('ID of the parent message'),
      userMessageSource: userMessageSource().optional().describe('Where a user message came from'),
      visibility: openEnum(['both', 'llm_only', 'user_only'])
        .optional()
        .describe('Who sees the message'),
      isUserVisible: z.boolean().optional().describe('Older form of visibility'),
      hiddenFromUserViews: z.boolean().optional().describe('Whether users do not see the message'),
      isError: z.boolean().optional().describe('Whether the message reports an error'),
      modelId: z.string().optional().describe('Model that wrote the message'),
      routerId: z.string().optional().describe('Router that chose the model'),
      reasoningEffort: reasoningEffort().optional().describe('How much the model reasoned'),
      interactionMode: interactionMode().optional().describe('How the agent worked with the user'),
      // `reasoning_content` is from the public documentation.
      chatCompletionReasoningField: openEnum(['reasoning', 'reasoning_content'])
        .optional()
        .describe('Name of the field in which a chat completion carried its reasoning'),
      chatCompletionReasoningContent: z
        .string()
        .optional()
        .describe('Reasoning of a chat completion'),
      parallelGroupId: z.string().optional().describe('ID that parallel calls share'),
      isParallelExecution: z
        .boolean()
        .optional()
        .describe('Whether the call ran in parallel with others'),
      ...hookFields(),
      ...providerFields(),
    })
    .meta({ id: 'Message' }),
)
