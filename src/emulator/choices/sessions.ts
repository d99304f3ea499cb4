import { choose } from './choose.ts'

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
