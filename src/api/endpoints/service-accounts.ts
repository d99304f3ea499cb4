import * as z from 'zod'
import { once } from '../record.ts'
import { endpoint } from './endpoint.ts'

const ApiKey = once(() =>
  z
    .looseObject({
      id: z.string().min(1).describe('API key ID'),
      value: z
        .string()
        .min(1)
        .meta({ secret: true, description: 'The key itself, shown only in this response' }),
      fingerprint: z
        .string()
        .min(1)
        .describe('End of the key, for display; the key cannot be derived from it'),
      name: z.string().min(1).describe('Name, taken over from the old key'),
      expiresAt: z.number().optional().describe('When the key expires, in Unix milliseconds'),
    })
    .meta({ id: 'ApiKey' }),
)

export const serviceAccounts = {
  keys: {
    /** Replace a key by a new one that takes over its name. */
    rotate: endpoint({
      id: 'serviceAccounts.keys.rotate',
      name: 'RotateKey',
      method: 'POST',
      path: '/api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate',
      host: 'base',
      summary: 'Replace a key by a new one that takes over its name.',
      irreversible: 'Replace this key',
      description:
        'Without a grace period the old key stops working at once. Only this response shows the new key.',
      example: {
        serviceAccountId: 'sa_deploy',
        keyId: 'key_deploy_1',
        gracePeriodMinutes: 5,
        expiresAt: 1_830_297_600_000,
      },
      params: () =>
        z.strictObject({
          serviceAccountId: z.string().min(1).describe('Service account ID'),
          keyId: z.string().min(1).describe('ID of the key to rotate'),
        }),
      body: () =>
        z.strictObject({
          // The specification leaves the unit open; the response has milliseconds.
          expiresAt: z
            .int()
            .positive()
            .optional()
            .describe('When the new key expires; presumably Unix milliseconds, as in the response'),
          gracePeriodMinutes: z
            .int()
            .min(0)
            .max(10)
            .optional()
            .describe('Minutes for which the old key still works, 0 to 10; none if left out'),
        }),
      success: [200],
      response: () => z.looseObject({ apiKey: ApiKey().describe('The replacement') }),
      // A second copy would revoke the key that the lost response carried.
      retry: 'never',
      strictInput: true,
      errors: {
        400: 'specification',
        401: 'specification',
        403: 'specification',
        404: 'specification',
        409: 'specification',
        500: 'specification',
      },
      hints: {
        400: 'the grace period must not outlast the expiry of the key',
        403: 'service accounts need an enterprise plan and the Manager or Owner role',
      },
    }),
  },
}
