import * as z from 'zod'
import { once } from '../once.ts'
import { Computer } from '../schemas/computer.ts'
import { endpoint } from './endpoint.ts'

const params = once(() => z.strictObject({ computerId: z.string().min(1).describe('Computer ID') }))

// From the public documentation.
const hints = {
  403: 'only your own computers; those of service accounts need the Manager or Owner role',
}

export const computers = {
  /** Get a computer by its name. */
  getByName: endpoint({
    id: 'computers.getByName',
    name: 'GetComputerByName',
    method: 'GET',
    path: '/api/v0/computers/name/{name}',
    host: 'base',
    summary: 'Get a computer by its name.',
    params: () =>
      z.strictObject({
        name: z.string().min(1).max(63).describe('Name of the computer, 1 to 63 characters'),
      }),
    success: [200],
    response: Computer,
    retry: 'safe',
    errors: { 401: 'specification', 404: 'inference', 500: 'inference' },
  }),

  /** Get a computer by its ID. */
  get: endpoint({
    id: 'computers.get',
    name: 'GetComputer',
    method: 'GET',
    path: '/api/v0/computers/{computerId}',
    host: 'base',
    summary: 'Get a computer by its ID.',
    params,
    success: [200],
    response: Computer,
    retry: 'safe',
    errors: { 401: 'specification', 403: 'inference', 404: 'inference', 500: 'inference' },
    hints,
  }),

  /** Configure credentials and environment of a computer again. */
  refresh: endpoint({
    id: 'computers.refresh',
    name: 'RefreshComputer',
    method: 'POST',
    path: '/api/v0/computers/{computerId}/refresh',
    host: 'base',
    summary: 'Configure credentials and environment of a computer again.',
    description: 'Currently this sets up git credentials for each connected code host.',
    params,
    success: [200],
    // The specification says integer, the public documentation number.
    response: () =>
      z.looseObject({
        configured: z.number().describe('How many integrations were configured'),
      }),
    // A second copy is probably harmless, but that is not documented, and the machine may be in use.
    retry: 'never',
    errors: { 401: 'specification', 403: 'inference', 404: 'inference', 500: 'inference' },
    hints,
  }),

  /** Delete a computer for good. */
  delete: endpoint({
    id: 'computers.delete',
    name: 'DeleteComputer',
    method: 'DELETE',
    path: '/api/v0/computers/{computerId}',
    host: 'base',
    summary: 'Delete a computer for good.',
    description:
      'Revokes the API key of the computer, archives its sessions and tears down a managed machine. Cannot be undone.',
    irreversible: 'Delete this computer',
    params,
    // 204 is from the public documentation.
    success: [200, 204],
    response: () => z.looseObject({}),
    retry: 'safe',
    errors: { 401: 'specification', 403: 'inference', 404: 'inference', 500: 'inference' },
    hints,
  }),
}
