import * as z from 'zod'
import { once } from '../once.ts'
import { openEnum } from './open.ts'
import { creditsField } from './provider-fields.ts'

export const sessionStatus = once(() => openEnum(['idle', 'pending', 'running']))

// From the public documentation; the specification shows `none` and the readiness subset.
export const reasoningEffort = once(() =>
  openEnum(['none', 'dynamic', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
)

// From the public documentation.
export const interactionMode = once(() => openEnum(['auto', 'spec', 'agi', 'mission']))

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
    .meta({ id: 'TokenUsage' }),
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
