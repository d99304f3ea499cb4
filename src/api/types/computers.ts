// Written by `npm run gen` from the table in src/api/endpoints/.
import type { ApiPromise } from '../core/api-promise.ts'
import type { CallOptions } from '../core/options.ts'
import type { Computer } from './computers/get-computer-by-name.ts'
import type { RefreshComputerResponse } from './computers/refresh-computer.ts'
import type { DeleteComputerResponse } from './computers/delete-computer.ts'

/** Input of `computers.getByName`. */
export interface GetComputerByNameInput {
  /** Name of the computer, 1 to 63 characters. @maxLength 63 */
  name: string
}

/** Input of `computers.get`. */
export interface GetComputerInput {
  /** Computer ID. */
  computerId: string
}

/** Input of `computers.refresh`. */
export interface RefreshComputerInput {
  /** Computer ID. */
  computerId: string
}

/** Input of `computers.delete`. */
export interface DeleteComputerInput {
  /** Computer ID. */
  computerId: string
}

/** Computers that sessions run on. */
export interface ComputersApi {
  /**
   * Get a computer by its name.
   *
   * `GET /api/v0/computers/name/{name}`
   */
  getByName(input: GetComputerByNameInput, options?: CallOptions): ApiPromise<Computer>
  /**
   * Get a computer by its ID.
   *
   * `GET /api/v0/computers/{computerId}`
   */
  get(input: GetComputerInput, options?: CallOptions): ApiPromise<Computer>
  /**
   * Configure credentials and environment of a computer again.
   *
   * Currently this sets up git credentials for each connected code host.
   *
   * `POST /api/v0/computers/{computerId}/refresh`
   */
  refresh(input: RefreshComputerInput, options?: CallOptions): ApiPromise<RefreshComputerResponse>
  /**
   * Delete a computer for good.
   *
   * Revokes the API key of the computer, archives its sessions and tears down a managed machine. Cannot be undone.
   *
   * `DELETE /api/v0/computers/{computerId}`
   */
  delete(input: DeleteComputerInput, options?: CallOptions): ApiPromise<DeleteComputerResponse>
}
