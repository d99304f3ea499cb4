import * as z from 'zod'
import { once } from '../record.ts'
import { endpoint } from './endpoint.ts'
import { openEnum, otherThan, text, uuid } from './open.ts'

const ProvisioningStep = once(() =>
  z.looseObject({
    id: z.string().optional().describe('ID of the step'),
    name: z.string().optional().describe('Name of the step'),
    status: z.string().optional().describe('State of the step'),
    error: z.string().optional().describe('Why the step failed'),
    startedAt: z.number().optional().describe('When the step started'),
    completedAt: z.number().optional().describe('When the step was completed'),
    installSessionId: z.string().optional().describe('ID of the session that installs'),
  }),
)

const TemplateSource = once(() =>
  z.looseObject({
    kind: z.literal('template').describe('The computer was made from a template'),
    templateId: z.string().describe('ID of the template'),
  }),
)

// The specification names a second variant without showing it, so any other object passes.
const OtherSource = once(() =>
  z.looseObject({
    kind: otherThan(['template'], 'expected a templateId').optional().describe('Any other kind'),
  }),
)

// Which fields are required, and `e2b` as the managed provider, is from the public documentation.
export const Computer = once(() =>
  z
    .looseObject({
      id: z.string().describe('Computer ID'),
      name: text(63).describe('Name of the computer'),
      providerType: openEnum(['byom', 'e2b']).describe('Own machine, or a managed provider'),
      createdAt: z.number().describe('When the computer was created'),
      hostId: uuid().optional().describe('ID of the host'),
      status: openEnum(['provisioning', 'active', 'error'])
        .optional()
        .describe('State of the computer'),
      provisioningSteps: z
        .array(ProvisioningStep())
        .optional()
        .describe('Steps by which the computer is set up'),
      relayClientUrl: z.string().optional().describe('Relay URL for clients'),
      relayAgentUrl: z.string().optional().describe('Relay URL for the agent'),
      remoteUser: z.string().optional().describe('User name on the computer'),
      clonedRepoDirectories: z
        .array(z.string())
        .optional()
        .describe('Directories of cloned repositories'),
      ownerPrincipalKind: z.string().optional().describe('Kind of owner'),
      ownerId: z.string().optional().describe('ID of the owner'),
      computerSource: z
        .union([TemplateSource(), OtherSource()])
        .optional()
        .describe('What the computer was made from'),
      deletedAt: z.unknown().optional().describe('When the computer was deleted, if it was'),
    })
    .meta({ id: 'Computer' }),
)

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
    description: 'A name belongs to one computer at a time.',
    example: { name: 'ada-devbox' },
    params: () =>
      z.strictObject({
        name: text(63).describe('Name of the computer, 1 to 63 characters'),
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
    description: 'Only computers that the key may use.',
    example: { computerId: 'comp_ada' },
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
    example: { computerId: 'comp_ada' },
    params,
    success: [200],
    response: () =>
      z.looseObject({
        configured: z.int().describe('How many integrations were configured'),
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
    example: { computerId: 'comp_ada' },
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
