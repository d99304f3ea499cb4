import { choose } from './choose.ts'

const MEBIBYTE = 1024 * 1024

/** Decisions about requests, errors and credentials. */
export const requests = {
  // Requests and errors
  errorTitle: choose('values of `title`', 'the name of the HTTP status'),
  errorMetadata: choose(
    'contents of `metadata`',
    'facts for programs: `issues`, `role`, `expiresAt`, `revokedAt`, `archivedAt`, `computerStatus`, `maxBodyBytes`',
  ),
  refusedInput: choose(
    'response to an invalid request',
    '400; `detail` names the first field, `metadata.issues` lists all',
    400,
  ),
  checkOrder: choose(
    'which error comes first',
    '413, 404 and 405 of the path, 401, 400, then 403, 404 and 409 of the resource',
  ),
  unknownQuery: choose(
    'unknown query parameters',
    '400 where the endpoint has query parameters, ignored where it has none',
  ),
  unknownRoute: choose('unknown paths', '404', 404),
  wrongMethod: choose('a known path with another method', '405 with `Allow`', 405),
  bodySize: choose('size limits of bodies, texts, images and files', '10 MiB, then 413', {
    status: 413,
    bytes: 10 * MEBIBYTE,
  }),
  brokenBody: choose(
    'a body that is not JSON, or is nested deeper than 100 levels',
    '400; the Content-Type does not matter',
    400,
  ),
  requestId: choose('request IDs', 'header `x-request-id`; in analytics errors `requestId`', 'req'),
  rateLimit: choose('rate limits', 'none; add a fault to get 429'),
  // Credentials
  jwt: choose('where a JWT comes from', 'none is issued; any string in the seed can be a key'),
  organizationRole: choose(
    'roles for limits and users of the organization',
    'Manager or Owner, others get 403',
    ['owner', 'manager'] as readonly string[],
  ),
  otherRoles: choose('roles for sessions, CI, wikis and readiness reports', 'any valid key'),
  serviceAccountRole: choose(
    'permissions of service account keys',
    'those of a role in the seed; `user` if the seed names none',
    'user',
  ),
  computerAccess: choose(
    'who may use which computer',
    'its owner, its own key, and for computers of service accounts also Manager and Owner; others get 403, by name 404',
    403,
  ),
}
