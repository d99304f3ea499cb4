interface Choice {
  about: string
  choice: string
}

/** Declares a decision: what the specification leaves open, what the emulator does, and a value for handlers. */
export function choose(about: string, choice: string): Choice
export function choose<const Value>(
  about: string,
  choice: string,
  value: Value,
): Choice & { value: Value }
export function choose(about: string, choice: string, value?: unknown) {
  return { about, choice, ...(value !== undefined && { value }) }
}

const MEBIBYTE = 1024 * 1024

/** Decisions about requests, errors and credentials. */
const requests = {
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
    '400 where the specification shows query parameters, else ignored',
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

/** Decisions about keys, limits and users. */
export const organization = {
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
  expiryUnit: choose('unit of `expiresAt` in the request', 'Unix milliseconds'),
  pastExpiry: choose('`expiresAt` in the past', 'accepted; the new key is expired from the start'),
  inheritedExpiry: choose(
    'expiry of the new key without `expiresAt`',
    'none; only the name is inherited',
  ),
  graceAtExpiry: choose(
    'a grace period that ends exactly at the expiry',
    'accepted: it does not outlast the key',
  ),
  // Limits and users
  userLimitMinimum: choose('minimum of a user limit', '0', 0),
  failedUserLimit: choose(
    'which entries of a user limit request fail',
    'those below the minimum, or whose address is not of an active member; invited people fail too',
    'not an active member of the organization',
  ),
  repeatedUserLimit: choose(
    'the same address twice in a user limit request',
    'both entries are applied in order, so the last one wins',
  ),
  emailCase: choose('letter case of e-mail addresses', 'does not matter'),
  emailPlace: choose(
    'where a removal has the e-mail address',
    'in the query; taken from a JSON body if the query has none',
  ),
  unknownUser: choose('removal of an unknown address', '404', 404),
  lastOwner: choose('removal of the last owner', '409', 409),
  keysOfRemovedUser: choose('keys of a removed member', 'stop working at once'),
  deletionStatus: choose(
    'success status of deletions (200 here, 204 in public documents)',
    '200 with `{}`; 204 if `behavior.deletionStatus` of the seed says so',
    200,
  ),
}

/** Decisions about sessions and computers. */
export const sessions = {
  // Sessions
  sessionGate: choose(
    'whether creating a session is for selected organizations only, as messages are',
    'yes, as in public documents',
    403,
  ),
  settingValues: choose(
    'values of `compactionModel` and of other settings',
    'any of the right type; unknown settings get 400',
  ),
  newSession: choose('status of a new session', '`idle`, without messages'),
  sessionOnUnreadyComputer: choose(
    'a session on a computer that is not `active`',
    '400; `metadata.computerStatus` has its status',
    400,
  ),
  sessionTransitions: choose(
    'session transitions',
    'a message makes an idle session `pending`, the agent makes it `running`, its answer `idle`',
  ),
  waiting: choose(
    'whether adding a message waits for the agent',
    'no; with `agent.instant` in the seed the agent is done before the response',
    false,
  ),
  question: choose(
    'how the agent asks a question (`ask` in its script)',
    'it calls the tool `AskUser`, and stays `running`; the next message is the result of the call',
  ),
  busySession: choose(
    'a message to a session that is busy',
    'is queued and answered next; the response has the current status',
  ),
  archivedSession: choose('an archived session', 'can be read; a new message gets 409', 409),
  otherComputer: choose('a `computerId` the session does not run on', '404', 404),
  messageFields: choose(
    'which fields of an added message are required',
    '`text` alone, as in public documents',
  ),
  emptyText: choose('an empty `text`', 'accepted'),
  messageSource: choose('`userMessageSource` of added messages', '`api`', 'api'),
  contentTypes: choose(
    'types of content other than `text`',
    '`image`, `document`, `thinking`, `tool_use` and `tool_result`, as in public documents',
  ),
  messageValues: choose(
    'further values of message fields',
    '`user_only` as `visibility`, `completed` as `hookStatus`, `final_answer` as phase',
  ),
  messageQuery: choose(
    'names of the query parameters of the history',
    '`limit`, `cursor`, `computerId` and `role`, as in public documents',
  ),
  messageOrder: choose('order of the history', 'oldest first'),
  messagePageSize: choose('default page size of the history', '20', 20),
  messageCursor: choose(
    'form of the history cursor',
    'ID of the last message of the page; an unknown one gets 400; null after the last page',
    400,
  ),
  sessionCwd: choose(
    'what happens to the `cwd` of a new session',
    'checked and dropped: no response carries it',
  ),
  filePath: choose(
    'what happens to `path` and `parsedData` of a file',
    'dropped; `name`, `mediaType` and `data` are kept in the history',
  ),
  // Computers
  deletedAt: choose(
    '`deletedAt` in responses',
    'is kept in the state and sent by no endpoint: a deleted computer gets 404',
  ),
  deletedComputer: choose(
    'calls to a deleted computer',
    '404, a second deletion included; its name is free again',
    404,
  ),
  computerTransitions: choose('computer transitions', 'none but deletion'),
  provisioningSteps: choose('whether responses have provisioning steps', 'always'),
  ownerKinds: choose('values of `ownerPrincipalKind`', '`user` and `service_account`', {
    user: 'user',
    account: 'service_account',
  }),
  computerSource: choose(
    'the second variant of `computerSource`',
    'is not used; a seed may have any object',
  ),
  managedProvider: choose('name of the managed provider', '`e2b`, as in public documents', 'e2b'),
}

/** Decisions about what is beyond the specification. */
const beyond = {
  listedSessions: choose(
    'which sessions are listed, and in which order',
    'those that the key may read, the last created first; also archived ones',
  ),
  listPages: choose(
    'default page size and cursor of the lists of sessions and users',
    '20; the ID of the last item of the page, and null after the last page',
  ),
  updatedSession: choose(
    'response to an update of a session',
    'the session; settings that are left out stay',
  ),
  interrupted: choose(
    'what an interruption does',
    'the agent drops what it works on and what is queued, says nothing more, and the session is `idle`',
  ),
  listedSteps: choose(
    'provisioning steps of listed computers',
    'only with `includeProvisioningSteps` as `true`',
  ),
  restarted: choose(
    'restart of a computer',
    '200 with `{}` and no effect, because none is ever paused; 400 unless its provider is managed',
    400,
  ),
  listedUsers: choose('fields of a listed user', '`id` and `email` alone'),
  invitedAgain: choose(
    'invitation of a member without a role, and of the last owner with another one',
    'the role stays: `already_member`, and `error`',
  ),
  listedKeys: choose(
    'list of the keys of a service account, and who may see it',
    '`{apiKeys: [{id, name, isRevoked, expiresAt, revokedAt}]}`; whoever may rotate them',
  ),
}

/** Decisions about CI, wikis, analytics and readiness. */
export const reports = {
  // CI and wiki
  repositories: choose(
    'response of the repository list',
    '`{repositories: [{id, url, defaultBranch, eligible}]}`',
  ),
  scan: choose(
    'response of the CI scan',
    '`{scannedAt, repositories: [{id, url, workflows: [{path, provider}]}]}`',
  ),
  wikiRun: choose(
    'a wiki run',
    '`{wikiRunId, status, privacy, createdAt, updatedAt, request}`; `request` is the body of its creation',
    'private',
  ),
  wikiStates: choose(
    'states of a wiki run',
    '`pending` for 1 s, `running` for 1 s, then `completed`',
    { pendingMs: 1000, runningMs: 1000 },
  ),
  wikiSearch: choose(
    'parameters and response of the wiki search',
    '`query` or `q`; `{results: [{title, path, excerpt}]}`, all pages without a text',
    ['query', 'q'] as readonly string[],
  ),
  wikiPrivacy: choose(
    'body and levels of the privacy update',
    'the first text or number in the body, under any name; without one, nothing changes. The response is the run',
  ),
  wikiCreation: choose(
    'body of a new wiki run',
    'anything, or none; `privacy`, `privacyLevel`, `level` or `visibility` is its privacy',
    ['privacy', 'privacyLevel', 'level', 'visibility'] as readonly string[],
  ),
  unknownWikiRun: choose('an unknown wiki run', '404', 404),
  wikiSyncOff: choose('wikis while cloud sync is off', '403, as in public documents', 403),
  // Analytics
  analyticsData: choose(
    'the figures of analytics',
    'made up from the seed and the date alone, for all days before today',
    'emulator',
  ),
  malformedDate: choose('dates that are malformed or not in the calendar', '400'),
  reversedRange: choose('an `endDate` before `startDate`', '400', 400),
  longRange: choose('the longest range of days', '3660 days, then 400', {
    status: 400,
    days: 3660,
  }),
  groupedTokens: choose('grouped token rows', '`date`, `group_key` and the five counts'),
  breakdowns: choose(
    'entries of `by_model` and `by_user`',
    'the five counts with `model`, or with `user_id` and `user_email`',
  ),
  userPage: choose(
    'what `limit` and `cursor` of `/users` count',
    'users: a page has all rows of up to `limit` users, ordered by user ID and day; the cursor is the last user',
    20,
  ),
  userPageFields: choose(
    'names of the paging fields of `/users`',
    '`has_more` and `next_cursor`, as in public documents',
  ),
  idleUsers: choose('users without activity on a day', 'have no row for it'),
  // Readiness
  readinessAddress: choose(
    'whether the path of the specification still works',
    'both paths work; `behavior.readinessAddress` of the seed can leave only one',
    'both',
  ),
  readinessOrder: choose('order of readiness reports', 'newest first'),
  readinessPageSize: choose('default `limit` of readiness reports', '20', 20),
  readinessCursor: choose('an unknown `startAfter`', '400', 400),
}

/** A decision of the emulator where the specification is silent. The docs list it, handlers read its value. */
export interface OwnChoice {
  id: string
  /** What the specification does not show. */
  about: string
  /** What the emulator does. */
  choice: string
}

export const chosen = { ...requests, ...organization, ...sessions, ...reports, ...beyond }

/** Every decision of the emulator that the specification does not make. */
export const ownChoices: readonly OwnChoice[] = Object.entries(chosen).map(
  ([id, { about, choice }]) => ({ id, about, choice }),
)
