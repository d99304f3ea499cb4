import * as z from 'zod'
import { once } from '../record.ts'
import { endpoint } from './endpoint.ts'
import { openEnum, otherThan, text } from './open.ts'

export const sessionStatus = once(() => openEnum(['idle', 'pending', 'running']))

// From the public documentation; the specification shows `none` and the readiness subset.
const reasoningEffort = once(() =>
  openEnum(['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
)

// From the public documentation.
const interactionMode = once(() => openEnum(['auto', 'spec', 'agi', 'mission']))

const TokenUsage = once(() =>
  z
    .looseObject({
      inputTokens: z.number().optional().describe('Tokens sent to the model'),
      outputTokens: z.number().optional().describe('Tokens written by the model'),
      cacheCreationTokens: z.number().optional().describe('Tokens written to the prompt cache'),
      cacheReadTokens: z.number().optional().describe('Tokens read from the prompt cache'),
      thinkingTokens: z.number().optional().describe('Tokens spent on thinking'),
      ...creditsField(),
    })
    .meta({ id: 'TokenUsage', patternProperties: namedAfterCompanies.TokenUsage }),
)

const tagFields = once(() => ({
  name: z.string().describe('Name of the tag'),
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Facts that belong to the tag, as names and values'),
}))

const settingsFields = once(() => ({
  model: z.string().optional().describe('Model the session works with'),
  specModeModel: z.string().optional().describe('Model that writes specifications'),
  runInWorktree: z.boolean().optional().describe('Whether the session works in its own worktree'),
  providerLockTimestamp: z.string().optional().describe('When the model provider was fixed'),
  assistantActiveTimeMs: z
    .number()
    .optional()
    .describe('How long the assistant was active, in milliseconds'),
  archivedAt: z
    .string()
    .optional()
    .describe('When the session was archived (ISO time); set only if it is archived'),
  enabledToolIds: z.array(z.string()).optional().describe('IDs of tools that are switched on'),
  disabledToolIds: z.array(z.string()).optional().describe('IDs of tools that are switched off'),
  compactionModel: openEnum(['current-model'])
    .optional()
    .describe('Model that compacts the history'),
  compactionThresholdCheckEnabled: z
    .boolean()
    .optional()
    .describe('Whether the history is compacted at a threshold'),
  // The fields from here on are from the public documentation.
  reasoningEffort: reasoningEffort().optional().describe('How much the model reasons'),
  specModeReasoningEffort: reasoningEffort()
    .optional()
    .describe('How much the model reasons in specification mode'),
  interactionMode: interactionMode().optional().describe('How the agent works with the user'),
  autonomyLevel: openEnum(['off', 'low', 'medium', 'high'])
    .optional()
    .describe('How much the agent may do without asking'),
  autonomyMode: openEnum(['normal', 'spec', 'auto-low', 'auto-medium', 'auto-high'])
    .optional()
    .describe('Older form of interactionMode and autonomyLevel'),
  providerLock: z.string().optional().describe('Model provider the session is fixed to'),
  apiProviderLock: z.string().optional().describe('API provider the session is fixed to'),
}))

/** As sent when a session is created: without the token usage, which the service counts. */
export const SessionSettingsInput = once(() =>
  z
    .strictObject({
      ...settingsFields(),
      tags: z.array(z.strictObject(tagFields())).optional().describe('Tags of the session'),
      childInclusiveTokenUsageBySessionId: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Token usage of child sessions, by session ID'),
    })
    .meta({ id: 'SessionSettingsInput' }),
)

const SessionSettings = once(() =>
  z
    .looseObject({
      ...settingsFields(),
      tags: z.array(z.looseObject(tagFields())).optional().describe('Tags of the session'),
      tokenUsage: TokenUsage().optional().describe('Token usage of the session'),
      inclusiveTokenUsage: TokenUsage().optional().describe('Token usage including child sessions'),
      childInclusiveTokenUsageBySessionId: z
        .record(z.string(), TokenUsage())
        .optional()
        .describe('Token usage of child sessions, by session ID'),
    })
    .meta({ id: 'SessionSettings' }),
)

export const Session = once(() =>
  z
    .looseObject({
      sessionId: z.string().describe('Session ID'),
      status: sessionStatus().describe('Current execution status'),
      messageCount: z.int().describe('How many messages there are'),
      createdAt: z.int().describe('When the session was created, in Unix milliseconds'),
      updatedAt: z.int().describe('When the session was last changed, in Unix milliseconds'),
      title: z.string().optional().describe('Session title'),
      completedAt: z.int().optional().describe('When the session completed, in Unix milliseconds'),
      computerId: z.string().optional().describe('ID of the connected computer'),
      sessionSettings: SessionSettings().optional().describe('Settings of the session'),
    })
    .meta({ id: 'Session' }),
)

const id = once(() => z.string().optional().describe('ID of the block'))
const source = once(() => z.unknown().optional().describe('The data, and how it is encoded'))

function block<const Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  name: string,
  fields: Fields,
) {
  return z
    .looseObject({ type: z.literal(type).describe('Type of the block'), ...fields })
    .meta({ id: name })
}

// The specification shows `text`; the others are from the public documentation.
const blocks = once(
  () =>
    [
      block('text', 'TextBlock', { text: z.string().describe('The text'), id: id() }),
      block('image', 'ImageBlock', { source: source(), id: id() }),
      block('thinking', 'ThinkingBlock', {
        thinking: z.string().describe('What the model thought'),
        signature: z.string().optional().describe('Signature of the model provider'),
        durationMs: z.number().optional().describe('How long it took, in milliseconds'),
        id: id(),
      }),
      block('redacted_thinking', 'RedactedThinkingBlock', { id: id() }),
      block('tool_use', 'ToolUseBlock', {
        id: z.string().describe('ID of the tool call'),
        name: z.string().describe('Name of the tool'),
        input: z.unknown().optional().describe('Input of the tool'),
      }),
      block('tool_result', 'ToolResultBlock', {
        toolUseId: z.string().describe('ID of the tool call that returned this result'),
        content: z.unknown().optional().describe('Text, or a list of blocks'),
        isError: z.boolean().optional().describe('Whether the tool failed'),
        id: id(),
      }),
      block('document', 'DocumentBlock', {
        name: z.string().optional().describe('File name'),
        source: source(),
        id: id(),
      }),
    ] as const,
)

const ContentBlock = once(() => z.union([...blocks(), otherBlock()]).meta({ id: 'ContentBlock' }))

function otherBlock() {
  const known = blocks().map(({ shape }) => shape.type.value)
  const type = otherThan(known, 'expected a block of this type')
  return z
    .looseObject({ type: type.describe('A type that this version does not know') })
    .meta({ id: 'OtherBlock' })
}

/** A field that the client adds and no service sends. The OpenAPI document leaves it out. */
function addedField(schema: z.ZodString | z.ZodNumber, description: string) {
  return schema.optional().meta({ description, 'x-added-by-client': true })
}

const addedText = (description: string) =>
  addedField(z.string(), description) as z.ZodOptional<z.ZodString>

/** Fields that are named after a company, which the specification leaves open. */
const namedAfterCompanies = {
  TokenUsage: {
    '^[a-z]+Credits$': {
      type: 'number',
      description: 'Credits used; the name starts with that of the service',
    },
  },
  Message: {
    '^[a-z]+MessageId$': textField('The message ID of the model provider'),
    '^[a-z]+Phase$': {
      type: ['string', 'null'],
      description: 'The phase of the answer, such as commentary',
    },
    '^[a-z]+EncryptedContent$': textField('Encrypted reasoning of the model provider'),
    '^[a-z]+ReasoningId$': textField('The reasoning ID of the model provider'),
    '^[a-z]+ReasoningSummary$': textField('The reasoning summary of the model provider'),
    '^[a-z]+ThoughtSignature$': textField('The thought signature of a second model provider'),
  },
}

function textField(description: string) {
  return { type: 'string', description }
}

const creditsField = once(() => ({
  credits: addedField(
    z.number(),
    'Credits used; copied from the field that is named after the service',
  ) as z.ZodOptional<z.ZodNumber>,
}))

const providerFields = once(() => ({
  providerMessageId: addedText('The message ID of the model provider'),
  providerPhase: addedText('The phase of the answer as the model provider names it'),
  providerEncryptedContent: addedText('Encrypted reasoning of the model provider'),
  providerReasoningId: addedText('The reasoning ID of the model provider'),
  providerReasoningSummary: addedText('The reasoning summary of the model provider'),
  providerThoughtSignature: addedText('The thought signature of the model provider'),
}))

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
    .meta({ id: 'Message', patternProperties: namedAfterCompanies.Message }),
)

const params = once(() => z.strictObject({ sessionId: z.string().min(1).describe('Session ID') }))

const Image = once(() =>
  z.strictObject({
    type: z.literal('base64').describe('How the data is encoded'),
    data: z.string().describe('The image, in base64'),
    // From the public documentation.
    mediaType: z.string().optional().describe('Media type, for example image/jpeg'),
  }),
)

const File = once(() =>
  z.strictObject({
    type: z.literal('base64').describe('How the data is encoded'),
    data: z.string().describe('The file, in base64'),
    mediaType: z.string().optional().describe('Media type, for example application/pdf'),
    parsedData: z.string().optional().describe('Text of the file'),
    name: z.string().optional().describe('File name'),
    path: z.string().optional().describe('Path of the file'),
  }),
)

const gated = { 403: 'enabled for selected organizations only' }

const messages = {
  /** Add a user message to a session. */
  add: endpoint({
    id: 'sessions.messages.add',
    name: 'AddMessage',
    method: 'POST',
    path: '/api/v0/sessions/{sessionId}/messages',
    host: 'base',
    summary: 'Add a user message to a session.',
    description: 'Enabled for selected organizations only.',
    example: {
      sessionId: 'sess_welcome',
      text: 'Please run the tests.',
      files: [
        {
          type: 'base64',
          mediaType: 'text/plain',
          name: 'notes.txt',
          data: 'VGhlIHF1ZXVlIGlzIHNsb3cu',
        },
      ],
    },
    params,
    body: () =>
      z.strictObject({
        // The public documentation states that it is required.
        text: z.string().describe('Text of the message'),
        images: z.array(Image()).optional().describe('Images'),
        files: z.array(File()).optional().describe('Files, such as PDF or text'),
        computerId: z
          .string()
          .optional()
          .describe('ID of the computer; if left out, the computer of the session'),
      }),
    success: [200],
    response: () =>
      z.looseObject({
        messageId: z.string().describe('ID of the new message'),
        // `pending` and `running` are from the public documentation.
        status: sessionStatus().describe('Execution status of the session'),
      }),
    // A second copy would add a second message.
    retry: 'never',
    errors: {
      400: 'inference',
      401: 'specification',
      403: 'inference',
      404: 'inference',
      409: 'inference',
      500: 'inference',
    },
    hints: gated,
  }),

  /** List the messages of a session, page by page. */
  list: endpoint({
    id: 'sessions.messages.list',
    name: 'ListMessages',
    method: 'GET',
    path: '/api/v0/sessions/{sessionId}/messages',
    host: 'base',
    summary: 'List the messages of a session, page by page.',
    description: 'Enabled for selected organizations only. The order is not documented.',
    example: { sessionId: 'sess_welcome', limit: 2, role: 'user' },
    params,
    query: () =>
      z.strictObject({
        limit: z
          .int()
          .min(1)
          .max(100)
          .optional()
          // The default is from the public documentation.
          .meta({ description: 'Messages per page, 1 to 100', default: 20 }),
        cursor: z.string().optional().describe('Cursor from the previous page'),
        computerId: z.string().optional().describe('ID of a computer to read from directly'),
        role: z
          .enum(['user', 'assistant', 'tool'])
          .optional()
          .describe('Only messages of this role'),
      }),
    // The specification does not show the names; these are from the public documentation.
    wire: { limit: 'limit', cursor: 'cursor', computerId: 'computerId', role: 'role' },
    success: [200],
    response: () =>
      z.looseObject({
        messages: z.array(Message()).describe('Messages of this page'),
        pagination: z
          .looseObject({
            hasMore: z.boolean().describe('Whether there are more messages'),
            nextCursor: z.string().nullish().describe('Cursor of the next page'),
          })
          .describe('How to get the next page'),
      }),
    retry: 'safe',
    errors: {
      400: 'inference',
      401: 'specification',
      403: 'inference',
      404: 'inference',
      500: 'inference',
    },
    hints: gated,
    page: {
      items: 'messages',
      next: 'pagination.nextCursor',
      hasMore: 'pagination.hasMore',
      cursor: 'cursor',
    },
  }),
}

export const sessions = {
  /** Start a session of the agent on a computer. */
  create: endpoint({
    id: 'sessions.create',
    name: 'CreateSession',
    method: 'POST',
    path: '/api/v0/sessions',
    host: 'base',
    summary: 'Start a session of the agent on a computer.',
    description:
      'The session works on a computer that is active. Messages are added to it afterwards.',
    example: {
      computerId: 'comp_ada',
      cwd: '/home/ada/shop',
      sessionSettings: {
        model: 'emulated-model',
        tags: [{ name: 'ticket', metadata: { id: 'SHOP-7' } }],
      },
    },
    body: () =>
      z.strictObject({
        computerId: z.string().describe('ID of the computer the session runs on'),
        cwd: text(4096).optional().describe('Working directory, 1 to 4096 characters'),
        sessionSettings: SessionSettingsInput().optional().describe('Settings of the session'),
      }),
    success: [201],
    response: Session,
    // A second copy would start a second session.
    retry: 'never',
    errors: {
      400: 'documentation',
      401: 'specification',
      403: 'inference',
      404: 'inference',
      500: 'inference',
    },
    // From the public documentation; the specification states it for messages only.
    hints: gated,
  }),
  messages,
}
