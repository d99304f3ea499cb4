import { analytics } from './analytics.ts'
import { automations } from './automations.ts'
import { beyond } from './beyond.ts'
import { computers } from './computers.ts'
import type { Endpoint } from './endpoint.ts'
import { organization } from './organization.ts'
import { readiness } from './readiness.ts'
import { serviceAccounts } from './service-accounts.ts'
import { sessions } from './sessions.ts'
import { wiki } from './wiki.ts'

/** The endpoints of the specification, nested like the methods of the client: the path to an endpoint equals its `id`. */
export const api: Api = {
  serviceAccounts,
  organization,
  sessions,
  computers,
  automations,
  wiki,
  analytics,
  readiness,
}

/** Spelled out, since the inferred type would repeat every schema in the declaration files. */
export type Api = {
  serviceAccounts: typeof serviceAccounts
  organization: typeof organization
  sessions: typeof sessions
  computers: typeof computers
  automations: typeof automations
  wiki: typeof wiki
  analytics: typeof analytics
  readiness: typeof readiness
}

/** The same with those that the specification does not have. */
export const everything = { ...api, beyond }

/** `api`, or a subtree of it: endpoints and subtrees by name. */
export interface EndpointTree {
  readonly [name: string]: Endpoint | EndpointTree
}

/** Every endpoint of a tree, by default of the specification, in its order. */
export function listEndpoints(tree: EndpointTree = api): Endpoint[] {
  return Object.values(tree).flatMap((node) => (isEndpoint(node) ? node : listEndpoints(node)))
}

/** Tells an endpoint from a subtree. */
export function isEndpoint(node: Endpoint | EndpointTree): node is Endpoint {
  return typeof node.id === 'string'
}
