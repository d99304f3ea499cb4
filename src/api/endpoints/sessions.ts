import * as z from 'zod'
import { once } from '../once.ts'
import { Message } from '../schemas/message.ts'
import { Session, SessionSettingsInput, sessionStatus } from '../schemas/session.ts'
import { endpoint } from './endpoint.ts'

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
    body: () =>
      z.strictObject({
        computerId: z.string().describe('ID of the computer the session runs on'),
        cwd: z
          .string()
          .min(1)
          .max(4096)
          .optional()
          .describe('Working directory, 1 to 4096 characters'),
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
