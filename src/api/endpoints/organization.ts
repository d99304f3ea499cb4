import * as z from 'zod'
import { once } from '../record.ts'
import { isEmail } from '../validation/shape.ts'
import { endpoint } from './endpoint.ts'

const email = once(() =>
  z
    .string()
    .refine(isEmail, 'must be an e-mail address')
    .meta({ format: 'email', description: 'E-mail address of the user' }),
)

const GlobalLimit = once(() =>
  z
    .looseObject({
      limit: z.int().min(0).nullable().describe('Credits per user; null if there is no limit'),
    })
    .meta({ id: 'GlobalLimit' }),
)

/**
 * Not checked here: the specification states neither a minimum nor what an address is, and the service reports an entry
 * that fails while it applies the others. By the public documentation, null removes the limit of this user.
 */
const UserLimit = once(() =>
  z.strictObject({
    email: z.string().describe('E-mail address of the user'),
    limit: z.int().nullable().describe('Credits; null removes the limit of this user'),
  }),
)

const limits = {
  /** Read the credit limit of users who have none of their own. */
  getGlobal: endpoint({
    id: 'organization.limits.getGlobal',
    name: 'GetGlobalLimit',
    method: 'GET',
    path: '/api/v0/organization/usage/limits/global',
    host: 'base',
    summary: 'Read the credit limit of users who have none of their own.',
    description:
      'It applies to every user without a limit of their own. Null means that there is none.',
    example: {},
    success: [200],
    response: GlobalLimit,
    retry: 'safe',
    errors: { 401: 'specification', 403: 'inference', 500: 'inference' },
  }),

  /** Set or remove the credit limit of users who have none of their own. */
  setGlobal: endpoint({
    id: 'organization.limits.setGlobal',
    name: 'SetGlobalLimit',
    method: 'PUT',
    path: '/api/v0/organization/usage/limits/global',
    host: 'base',
    summary: 'Set or remove the credit limit of users who have none of their own.',
    description: 'The response has the limit that is now set.',
    example: { limit: 2_000_000 },
    body: () =>
      z.strictObject({
        limit: z
          .int()
          .min(1_000_000)
          .nullable()
          .describe('Credits per user, at least 1000000; null removes the limit'),
      }),
    success: [200],
    response: GlobalLimit,
    retry: 'safe',
    errors: { 400: 'inference', 401: 'specification', 403: 'inference', 500: 'inference' },
  }),

  /** Set the credit limits of single users; some may fail while the others are applied. */
  setUsers: endpoint({
    id: 'organization.limits.setUsers',
    name: 'SetUserLimits',
    method: 'PUT',
    path: '/api/v0/organization/usage/limits/users',
    host: 'base',
    summary: 'Set the credit limits of single users; some may fail while the others are applied.',
    description: 'Check `errors` in the response: it lists the entries that failed.',
    example: { users: [{ email: 'bo@example.com', limit: 1_500_000 }] },
    body: () =>
      z.strictObject({
        users: z
          .array(UserLimit())
          .min(1)
          .max(100)
          .describe('Users and their limits, 1 to 100 entries'),
      }),
    success: [200],
    response: () =>
      z.looseObject({
        updated: z
          .array(
            z.looseObject({
              email: z.string().describe('E-mail address of the user'),
              limit: z.int().nullable().describe('Credits; null if the limit was removed'),
            }),
          )
          .describe('Limits that were set'),
        errors: z
          .array(
            z.looseObject({
              email: z.string().describe('E-mail address of the user'),
              error: z.string().describe('Why the limit was not set'),
            }),
          )
          .describe('Entries that failed'),
      }),
    retry: 'safe',
    errors: { 400: 'inference', 401: 'specification', 403: 'inference', 500: 'inference' },
  }),
}

const users = {
  /** Remove a member, or a user who is only invited. */
  remove: endpoint({
    id: 'organization.users.remove',
    name: 'RemoveUser',
    method: 'DELETE',
    path: '/api/v0/organization/users',
    host: 'base',
    summary: 'Remove a member, or a user who is only invited.',
    description: 'The membership is deleted, or the invitation is revoked.',
    example: { email: 'eve@example.com' },
    irreversible: 'Remove this user',
    // The public documentation has it in the query, not in the body.
    query: () => z.strictObject({ email: email() }),
    wire: { email: 'email' },
    // 204 is from the public documentation.
    success: [200, 204],
    response: () => z.looseObject({}),
    retry: 'safe',
    errors: {
      400: 'inference',
      401: 'specification',
      403: 'inference',
      404: 'inference',
      409: 'inference',
      500: 'inference',
    },
  }),
}

export const organization = { limits, users }
