import * as z from 'zod'
import { once } from '../record.ts'
import { Computer } from './computers.ts'
import { endpoint } from './endpoint.ts'
import { openEnum, uuid } from './open.ts'
import { Message, Session, SessionSettingsInput, sessionStatus } from './sessions.ts'

/** What all of these have in common: nothing says which statuses their errors have. */
const usual = {
  host: 'base',
  errors: { 401: 'inference', 403: 'inference', 404: 'inference' },
} as const

const pages = { next: 'pagination.nextCursor', hasMore: 'pagination.hasMore', cursor: 'cursor' }

const pageQuery = () => ({
  limit: z.int().min(1).max(100).optional().describe('Items per page, 1 to 100'),
  cursor: z.string().optional().describe('The `nextCursor` of the page before'),
})

const pagination = () =>
  z
    .looseObject({
      hasMore: z.boolean().describe('Whether there is more'),
      nextCursor: z.string().nullish().describe('Cursor of the next page'),
    })
    .describe('How to get the next page')

const computerId = () => z.string().optional().describe('ID of the computer')
const sessionParams = once(() =>
  z.strictObject({ sessionId: z.string().min(1).describe('Session ID') }),
)
const accountId = () => z.string().min(1).describe('Service account ID')
const role = () => z.enum(['user', 'manager', 'owner'])

const sessions = {
  /** List your sessions, page by page. */
  list: endpoint({
    id: 'beyond.sessions.list',
    ...usual,
    name: 'ListSessions',
    source: 'list-sessions.md',
    method: 'GET',
    path: '/api/v0/sessions',
    summary: 'List your sessions, page by page.',
    description: 'The order is not documented.',
    example: { limit: 20 },
    query: () => z.strictObject({ ...pageQuery(), computerId: computerId() }),
    success: [200],
    response: () =>
      z.looseObject({
        sessions: z.array(Session()).describe('Sessions of this page'),
        pagination: pagination(),
      }),
    retry: 'safe',
    page: { items: 'sessions', ...pages },
  }),

  /** Get a session with its settings. */
  get: endpoint({
    id: 'beyond.sessions.get',
    ...usual,
    name: 'GetSession',
    source: 'sessions.md',
    method: 'GET',
    path: '/api/v0/sessions/{sessionId}',
    summary: 'Get a session with its settings.',
    description: 'Its status says whether the agent works on it.',
    example: { sessionId: 'sess_welcome' },
    params: sessionParams,
    query: () => z.strictObject({ computerId: computerId() }),
    success: [200],
    response: Session,
    retry: 'safe',
  }),

  /** Change the settings of a session. */
  update: endpoint({
    id: 'beyond.sessions.update',
    ...usual,
    name: 'UpdateSession',
    source: 'update-a-session.md',
    method: 'PATCH',
    path: '/api/v0/sessions/{sessionId}',
    summary: 'Change the settings of a session.',
    description: 'With `archivedAt`, an ISO time, the session is archived.',
    example: {
      sessionId: 'sess_welcome',
      sessionSettings: { archivedAt: '2026-06-01T00:00:00.000Z' },
    },
    params: sessionParams,
    body: () =>
      z.strictObject({ sessionSettings: SessionSettingsInput().describe('Settings to change') }),
    success: [200],
    response: () => z.unknown(),
    retry: 'never',
  }),

  /** Delete a session. */
  delete: endpoint({
    id: 'beyond.sessions.delete',
    ...usual,
    name: 'DeleteSession',
    source: 'delete-a-session.md',
    method: 'DELETE',
    path: '/api/v0/sessions/{sessionId}',
    summary: 'Delete a session.',
    description: 'From an older page of the documentation.',
    irreversible: 'Delete this session',
    example: { sessionId: 'sess_welcome' },
    params: sessionParams,
    success: [200, 204],
    response: () => z.looseObject({}),
    retry: 'safe',
  }),

  /** Stop the agent of a session. */
  interrupt: endpoint({
    id: 'beyond.sessions.interrupt',
    ...usual,
    name: 'InterruptSession',
    source: 'interrupt-a-session.md',
    method: 'POST',
    path: '/api/v0/sessions/{sessionId}/interrupt',
    summary: 'Stop the agent of a session.',
    description: 'Does nothing if the session is idle.',
    example: { sessionId: 'sess_welcome' },
    params: sessionParams,
    success: [200],
    response: () => z.looseObject({ status: sessionStatus().describe('Status of the session') }),
    // A second copy may stop what was started meanwhile.
    retry: 'never',
  }),

  /** Get a single message of a session. */
  message: endpoint({
    id: 'beyond.sessions.message',
    ...usual,
    name: 'GetMessage',
    source: 'get-a-message-by-id.md',
    method: 'GET',
    path: '/api/v0/sessions/{sessionId}/messages/{messageId}',
    summary: 'Get a single message of a session.',
    description: 'Its ID is in the response to an added message, and in the history.',
    example: { sessionId: 'sess_welcome', messageId: 'sess_welcome_message_1' },
    params: () =>
      z.strictObject({
        sessionId: z.string().min(1).describe('Session ID'),
        messageId: z.string().min(1).describe('Message ID'),
      }),
    query: () => z.strictObject({ computerId: computerId() }),
    success: [200],
    response: Message,
    retry: 'safe',
  }),
}

const computers = {
  /** List your computers, newest first. */
  list: endpoint({
    id: 'beyond.computers.list',
    ...usual,
    name: 'ListComputers',
    source: 'list-computers.md',
    method: 'GET',
    path: '/api/v0/computers',
    summary: 'List your computers, newest first.',
    description: 'Steps of their set-up only with `includeProvisioningSteps`.',
    example: {},
    query: () =>
      z.strictObject({
        hostId: uuid().optional().describe('ID of the host'),
        includeProvisioningSteps: z
          .enum(['true', 'false'])
          .optional()
          .describe('Whether to include the steps'),
      }),
    success: [200],
    response: () => z.looseObject({ computers: z.array(Computer()).describe('Your computers') }),
    retry: 'safe',
  }),

  /** Resume a managed computer that is paused. */
  restart: endpoint({
    id: 'beyond.computers.restart',
    ...usual,
    name: 'RestartComputer',
    source: 'restart-a-managed-computer.md',
    method: 'POST',
    path: '/api/v0/computers/{computerId}/restart',
    summary: 'Resume a managed computer that is paused.',
    description: 'Only for computers of a managed provider.',
    example: { computerId: 'comp_deploy' },
    params: () => z.strictObject({ computerId: z.string().min(1).describe('Computer ID') }),
    success: [200],
    response: () => z.looseObject({}),
    retry: 'never',
  }),
}

const users = {
  /** List the users of the organization, page by page. */
  list: endpoint({
    id: 'beyond.users.list',
    ...usual,
    name: 'ListUsers',
    source: 'list-organization-users.md',
    method: 'GET',
    path: '/api/v0/organization/users',
    summary: 'List the users of the organization, page by page.',
    description: 'The forms of the times are not documented.',
    example: { limit: 20 },
    query: () => z.strictObject(pageQuery()),
    success: [200],
    response: () =>
      z.looseObject({
        users: z
          .array(
            z.looseObject({
              id: z.string().describe('User ID'),
              email: z.string().describe('E-mail address of the user'),
              firstName: z.string().nullish().describe('First name'),
              lastName: z.string().nullish().describe('Last name'),
              createdAt: z.unknown().optional().describe('When the user was created'),
              lastSignInAt: z.unknown().optional().describe('When the user last signed in'),
              metadata: z.unknown().optional().describe('More about the user'),
            }),
          )
          .describe('Users of this page'),
        pagination: pagination(),
      }),
    retry: 'safe',
    page: { items: 'users', ...pages },
  }),

  /** Invite a user, or change the role of a member. */
  invite: endpoint({
    id: 'beyond.users.invite',
    ...usual,
    name: 'InviteUser',
    source: 'invite-or-update-a-user.md',
    method: 'POST',
    path: '/api/v0/organization/users/invite',
    summary: 'Invite a user, or change the role of a member.',
    description: 'Check `status` in the response: it says what was done.',
    example: { email: 'hal@example.com', role: 'user' },
    body: () =>
      z.strictObject({
        email: z.email().describe('E-mail address of the user'),
        role: role().optional().describe('Role; `user` if left out'),
      }),
    success: [200],
    response: () =>
      z.looseObject({
        email: z.string().describe('E-mail address of the user'),
        role: openEnum(['user', 'manager', 'owner']).describe('Role of the user'),
        status: openEnum([
          'invited',
          'already_member',
          'role_updated',
          'already_invited',
          'error',
        ]).describe('What was done'),
        error: z.string().optional().describe('Why nothing was done'),
      }),
    retry: 'never',
  }),

  /** Read the credit limits of users who have one of their own. */
  limits: endpoint({
    id: 'beyond.users.limits',
    ...usual,
    name: 'GetUserLimits',
    source: 'get-user-credits-limits.md',
    method: 'GET',
    path: '/api/v0/organization/usage/limits/users',
    summary: 'Read the credit limits of users who have one of their own.',
    description: 'Also the limit that applies to all others.',
    example: {},
    success: [200],
    response: () =>
      z.looseObject({
        globalLimit: z.int().nullable().describe('Credits for everybody else; null for no limit'),
        userLimits: z
          .array(
            z.looseObject({
              email: z.string().describe('E-mail address of the user'),
              limit: z.int().nullable().describe('Credits'),
            }),
          )
          .describe('Limits of single users'),
      }),
    retry: 'safe',
  }),
}

const keys = {
  /** List the keys of a service account. */
  list: endpoint({
    id: 'beyond.keys.list',
    ...usual,
    name: 'ListKeys',
    source: 'service-accounts.md',
    method: 'GET',
    path: '/api/v0/service-accounts/{serviceAccountId}/api-keys',
    summary: 'List the keys of a service account.',
    description: 'Without their values. The form of the list is not documented.',
    example: { serviceAccountId: 'sa_deploy' },
    params: () => z.strictObject({ serviceAccountId: accountId() }),
    success: [200],
    response: () => z.unknown(),
    retry: 'safe',
  }),

  /** Revoke a key of a service account. */
  revoke: endpoint({
    id: 'beyond.keys.revoke',
    ...usual,
    name: 'RevokeKey',
    source: 'service-accounts.md',
    method: 'POST',
    path: '/api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/revoke',
    summary: 'Revoke a key of a service account.',
    description: 'A second time changes nothing.',
    irreversible: 'Revoke this key',
    example: { serviceAccountId: 'sa_deploy', keyId: 'key_deploy_1' },
    params: () =>
      z.strictObject({
        serviceAccountId: accountId(),
        keyId: z.string().min(1).describe('ID of the key'),
      }),
    success: [204],
    response: () => z.looseObject({}),
    retry: 'safe',
  }),
}

/** What the public documentation has and the specification does not: no part of `api`, and counted apart. */
export const beyond = { sessions, computers, users, keys }
