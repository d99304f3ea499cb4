import { choose } from './choose.ts'

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
    '`{privacy}` or `{privacyLevel}`, any non-empty string, else 400; the response is the run',
    ['privacy', 'privacyLevel'] as readonly string[],
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
