// Written by `npm run gen` from the table in src/api/endpoints/.
import type { Open, Unlisted } from '../open.ts'

export interface Computer {
  /** Computer ID. */
  id: string
  /** Name of the computer. @maxLength 63 */
  name: string
  /** Own machine, or a managed provider. */
  providerType: Open<'byom' | 'e2b'>
  /** When the computer was created. */
  createdAt: number
  /** ID of the host. @format uuid */
  hostId?: string
  /** State of the computer. */
  status?: Open<'provisioning' | 'active' | 'error'>
  /** Steps by which the computer is set up. */
  provisioningSteps?: ComputerProvisioningStep[]
  /** Relay URL for clients. */
  relayClientUrl?: string
  /** Relay URL for the agent. */
  relayAgentUrl?: string
  /** User name on the computer. */
  remoteUser?: string
  /** Directories of cloned repositories. */
  clonedRepoDirectories?: string[]
  /** Kind of owner. */
  ownerPrincipalKind?: string
  /** ID of the owner. */
  ownerId?: string
  /** What the computer was made from. */
  computerSource?: ComputerComputerSource | OtherComputerComputerSource
  /** When the computer was deleted, if it was. */
  deletedAt?: unknown
}

export interface ComputerProvisioningStep {
  /** ID of the step. */
  id?: string
  /** Name of the step. */
  name?: string
  /** State of the step. */
  status?: string
  /** Why the step failed. */
  error?: string
  /** When the step started. */
  startedAt?: number
  /** When the step was completed. */
  completedAt?: number
  /** ID of the session that installs. */
  installSessionId?: string
}

export interface ComputerComputerSource {
  /** The computer was made from a template. */
  kind: 'template'
  /** ID of the template. */
  templateId: string
}

export interface OtherComputerComputerSource {
  /** Any other kind. */
  kind?: Unlisted
}
