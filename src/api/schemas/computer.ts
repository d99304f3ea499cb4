import * as z from 'zod'
import { once } from '../once.ts'
import { openEnum, otherThan, uuid } from './open.ts'

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
      name: z.string().min(1).max(63).describe('Name of the computer'),
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
