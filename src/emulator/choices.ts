/** Where the specification is silent and the emulator had to decide. Documents list it, handlers read it. */
export interface OwnChoice {
  id: string
  /** What the specification does not show. */
  about: string
  /** What the emulator does. */
  choice: string
}

/** One decision; `value` is what the handlers use. */
function choose<const Value>(about: string, choice: string, value: Value) {
  return { about, choice, value }
}

const MEBIBYTE = 1024 * 1024

export const chosen = {
  // Requests and errors
  errorTitle: choose('values of `title`', 'the name of the HTTP status', 'status name'),
  errorMetadata: choose(
    'contents of `metadata`',
    'what a program can use: `issues`, `role`, `expiresAt`, `revokedAt`, `archivedAt`, `computerStatus`, `maxBodyBytes`',
    undefined,
  ),
  refusedInput: choose(
    'how a request that does not fit is answered',
    '400; `detail` names the first field, `metadata.issues` lists all',
    400,
  ),
  checkOrder: choose(
    'which error comes first',
    '413, 404 and 405 of the address, 401, 400, then 403, 404 and 409 of the thing',
    'size, address, key, input, thing',
  ),
  unknownQuery: choose(
    'unknown query parameters',
    '400 where the endpoint has query parameters, ignored where it has none',
    400,
  ),
  unknownRoute: choose('unknown addresses', '404', 404),
  wrongMethod: choose('a known address with another method', '405 with `Allow`', 405),
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
  rateLimit: choose('rate limits', 'none; add a fault to get 429', undefined),
  // Credentials
  jwt: choose('where a JWT comes from', 'nowhere; any string in the seed can be a key', undefined),
  organizationRole: choose(
    'roles for limits and users of the organization',
    'Manager or Owner, others get 403',
    ['owner', 'manager'] as readonly string[],
  ),
  otherRoles: choose(
    'roles for sessions, CI, wikis and readiness reports',
    'any key that works',
    undefined,
  ),
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
  // Keys of service accounts
  rotateRole: choose(
    '403 of key rotation',
    'for callers that are neither Manager, nor Owner, nor the service account itself',
    403,
  ),
  rotateConflict: choose(
    '409 of key rotation',
    'the key has been rotated or revoked before, or is expired',
    409,
  ),
  expiryUnit: choose('unit of `expiresAt` in the request', 'Unix milliseconds', 'ms'),
  pastExpiry: choose(
    '`expiresAt` in the past',
    'accepted; the new key is expired from the start',
    'accepted',
  ),
  inheritedExpiry: choose(
    'expiry of the new key without `expiresAt`',
    'none; only the name is inherited',
    undefined,
  ),
  graceAtExpiry: choose(
    'a grace period that ends exactly at the expiry',
    'accepted: it does not outlast the key',
    'accepted',
  ),
  // Limits and users
  userLimitMinimum: choose('minimum of a user limit', '0', 0),
  failedUserLimit: choose(
    'which entries of a user limit request fail',
    'addresses that are not an active member, invitations included',
    'not an active member of the organization',
  ),
  repeatedUserLimit: choose(
    'an address that is twice in a user limit request',
    'both entries are updated in their order, so the last one stays',
    'last',
  ),
  emailCase: choose('letter case of e-mail addresses', 'does not matter', 'ignored'),
  emailPlace: choose(
    'where the e-mail address of a removal stands',
    'in the query; taken from a JSON body if the query has none',
    'query, then body',
  ),
  unknownUser: choose('removal of an address nobody has', '404', 404),
  lastOwner: choose('removal of the last owner', '409', 409),
  keysOfRemovedUser: choose('keys of a removed member', 'stop working at once', 401),
  deletionStatus: choose(
    'success status of deletions (200 here, 204 in public documents)',
    '200 with `{}`; 204 if `behavior.deletionStatus` of the seed says so',
    200,
  ),
  // Sessions
  sessionGate: choose(
    'whether creating a session is for selected organizations only, as messages are',
    'yes, as in public documents',
    403,
  ),
  settingValues: choose(
    'values of `compactionModel` and of other settings',
    'any of the right type; unknown settings get 400',
    undefined,
  ),
  newSession: choose('status of a new session', '`idle`, without messages', 'idle'),
  sessionOnUnreadyComputer: choose(
    'a session on a computer that is not `active`',
    '400; `metadata.computerStatus` says what it is',
    400,
  ),
  sessionTransitions: choose(
    'session transitions',
    'a message makes an idle session `pending`, the agent makes it `running`, its answer `idle`',
    'pending, running, idle',
  ),
  waiting: choose(
    'how adding a message waits for the agent',
    'it answers at once; with `agent.instant` in the seed the agent is done before the answer',
    false,
  ),
  busySession: choose(
    'a message to a session that is at work',
    'is queued and answered next; the answer carries the present status',
    'queued',
  ),
  archivedSession: choose('an archived session', 'can be read; a new message gets 409', 409),
  otherComputer: choose('a `computerId` the session does not run on', '404', 404),
  messageFields: choose(
    'which fields of an added message are required',
    '`text` alone, as in public documents',
    'text',
  ),
  emptyText: choose('an empty `text`', 'accepted', 'accepted'),
  messageSource: choose('`userMessageSource` of added messages', '`api`', 'api'),
  contentTypes: choose(
    'types of content other than `text`',
    '`image`, `document`, `thinking`, `tool_use` and `tool_result`, as in public documents',
    undefined,
  ),
  messageValues: choose(
    'further values of message fields',
    '`user_only` as `visibility`, `completed` as `hookStatus`, `final_answer` as phase',
    undefined,
  ),
  messageQuery: choose(
    'names of the query parameters of the history',
    '`limit`, `cursor`, `computerId` and `role`, as in public documents',
    undefined,
  ),
  messageOrder: choose('order of the history', 'oldest first', 'oldest first'),
  messagePageSize: choose('default page size of the history', '20', 20),
  messageCursor: choose(
    'form of the history cursor',
    'ID of the last message of the page; an unknown one gets 400; null after the last page',
    400,
  ),
  // Computers
  deletedComputer: choose(
    'calls to a deleted computer',
    '404, a second deletion included; its name is free again',
    404,
  ),
  computerTransitions: choose('computer transitions', 'none but deletion', undefined),
  provisioningSteps: choose('whether answers carry provisioning steps', 'always', true),
  ownerKinds: choose('values of `ownerPrincipalKind`', '`user` and `service_account`', {
    user: 'user',
    account: 'service_account',
  }),
  computerSource: choose(
    'the second variant of `computerSource`',
    'is not used; a seed may have any object',
    undefined,
  ),
  managedProvider: choose('name of the managed provider', '`e2b`, as in public documents', 'e2b'),
  // CI and wiki
  repositories: choose(
    'answer of the repository list',
    '`{repositories: [{id, url, defaultBranch, eligible}]}`',
    true,
  ),
  scan: choose(
    'answer of the CI scan',
    '`{scannedAt, repositories: [{id, url, workflows: [{path, provider}]}]}`',
    true,
  ),
  wikiRun: choose(
    'a wiki run',
    '`{wikiRunId, status, privacy, createdAt, updatedAt, request}`; `request` is the body of its creation',
    'private',
  ),
  wikiStates: choose(
    'what a wiki run goes through',
    '`pending` for 1 s, `running` for 1 s, then `completed`',
    { pendingMs: 1000, runningMs: 1000 },
  ),
  wikiSearch: choose(
    'parameters and answer of the wiki search',
    '`query` or `q`; `{results: [{title, path, excerpt}]}`, all pages without a text',
    ['query', 'q'] as readonly string[],
  ),
  wikiPrivacy: choose(
    'body and levels of the privacy update',
    '`{privacy}` or `{privacyLevel}`, any non-empty string, else 400; answers the run',
    ['privacy', 'privacyLevel'] as readonly string[],
  ),
  unknownWikiRun: choose('an unknown wiki run', '404', 404),
  wikiSyncOff: choose('wikis while cloud sync is off', '403, as in public documents', 403),
  // Analytics
  analyticsData: choose(
    'the figures',
    'made up from the seed and the date alone; all days before today have some',
    'emulator',
  ),
  malformedDate: choose('dates that are malformed or not in the calendar', '400', 400),
  reversedRange: choose('an end before the start', '400', 400),
  longRange: choose('the longest range', '3660 days, then 400', { status: 400, days: 3660 }),
  groupedTokens: choose(
    'grouped token rows',
    '`date`, `group_key` and the five counts',
    'five counts',
  ),
  breakdowns: choose(
    'entries of `by_model` and `by_user`',
    'the five counts with `model`, or with `user_id` and `user_email`',
    'five counts',
  ),
  userPage: choose(
    'what `limit` and `cursor` of `/users` count',
    'users: a page has all rows of up to `limit` users, ordered by user ID and day; the cursor is the last user',
    20,
  ),
  userPageFields: choose(
    'names of the paging fields of `/users`',
    '`has_more` and `next_cursor`, as in public documents',
    undefined,
  ),
  idleUsers: choose('users without activity on a day', 'have no row for it', 'no row'),
  // Readiness
  readinessAddress: choose(
    'whether the address of the specification still answers',
    'both addresses do; `behavior.readinessAddress` of the seed can leave only one',
    'both',
  ),
  readinessOrder: choose('order of readiness reports', 'newest first', 'newest first'),
  readinessPageSize: choose('default `limit` of readiness reports', '20', 20),
  readinessCursor: choose('an unknown `startAfter`', '400', 400),
}

/** Every decision of the emulator that the specification does not make. */
export const ownChoices: readonly OwnChoice[] = Object.entries(chosen).map(
  ([id, { about, choice }]) => ({ id, about, choice }),
)
