import { chosen } from '../choices.ts'
import type { MadeUp } from './made-up.ts'

export type Fields = Readonly<Record<string, unknown>>

/** What is known of a computer. Fields are undefined if only its ID was seen. */
interface KnownComputer {
  fields?: Fields
  /** Undefined if no owner was seen. */
  ownerId?: string
}

interface KnownSession {
  computerId?: string | undefined
  title?: string | undefined
  createdAt?: number | undefined
  /** By ID. One that is seen again replaces the older one. */
  messages: Map<string, Fields>
}

interface KnownReport {
  report: Fields
  repoUrl: string
}

export type Facts = ReturnType<typeof makeFacts>

const MOST_INTEGRATIONS = 100

/** Collects facts under made-up IDs. Values of unexpected types are no facts. */
export function makeFacts(madeUp: MadeUp) {
  const computers = new Map<string, KnownComputer>()
  const sessions = new Map<string, KnownSession>()
  /** The address of each user; null if analytics has none, undefined if none was seen. */
  const users = new Map<string, string | null | undefined>()
  const emails = new Set<string>()
  /** The accounts of service account keys. An account without keys is in `accounts` alone. */
  const accounts = new Set<string>()
  const keys = new Map<string, string>()
  const userLimits = new Map<string, number>()
  const wikiRuns = new Set<string>()
  const reports = new Map<string, KnownReport>()
  const repositories = new Map<string, string>()
  const knowComputer = (id: unknown) => {
    if (!isText(id)) return undefined
    const made = madeUp.id(id, 'comp')
    if (!computers.has(made)) computers.set(made, {})
    return made
  }
  const facts = {
    ...{ computers, sessions, users, emails, accounts, keys, userLimits, wikiRuns, reports },
    organizationId: undefined as string | undefined,
    globalLimit: undefined as number | null | undefined,
    integrations: undefined as number | undefined,
    deletionStatus: undefined as 204 | undefined,
    knowComputer,
    addComputer(id: string, kept: Fields, { ownerId, ownerPrincipalKind }: Fields) {
      const made = knowComputer(id) ?? ''
      const { ownerId: _, ownerPrincipalKind: __, ...fields } = kept
      if (!isText(ownerId)) return void computers.set(made, { fields })
      const isAccount = ownerPrincipalKind === chosen.ownerKinds.value.account
      const owner = madeUp.id(ownerId, isAccount ? 'sa' : 'user')
      if (isAccount) accounts.add(owner)
      else users.set(owner, users.get(owner))
      computers.set(made, { fields, ownerId: owner })
    },
    addSession(id: unknown, computerId: unknown, { title, createdAt }: Fields = {}) {
      if (!isText(id)) return undefined
      const made = madeUp.id(id, 'sess')
      const known: KnownSession = sessions.get(made) ?? { messages: new Map() }
      sessions.set(made, known)
      known.computerId = knowComputer(computerId) ?? known.computerId
      if (isText(title)) known.title = madeUp.text('title', title)
      if (Number.isSafeInteger(createdAt)) known.createdAt = createdAt as number
      return known
    },
    addUser({ user_id: id, user_email: email }: Fields) {
      if (!isText(id)) return
      const address = isText(email) ? madeUp.email(email) : email === null ? null : undefined
      users.set(madeUp.id(id, 'user'), address)
    },
    addEmail(email: unknown) {
      if (isText(email)) emails.add(madeUp.email(email))
    },
    addUserLimit({ email, limit }: Fields) {
      if (!isText(email)) return
      const made = madeUp.email(email)
      emails.add(made)
      if (isCount(limit)) userLimits.set(made, limit)
      else userLimits.delete(made)
    },
    addKey(accountId: unknown, keyId: unknown) {
      if (!isText(accountId) || !isText(keyId)) return
      const account = madeUp.id(accountId, 'sa')
      accounts.add(account)
      keys.set(madeUp.id(keyId, 'key'), account)
    },
    addWikiRun(id: unknown) {
      if (isText(id)) wikiRuns.add(madeUp.id(id, 'wiki'))
    },
    addReport(report: Fields, repoUrl: string, repoId: string | null) {
      const url = madeUp.url(repoUrl)
      if (repoId) repositories.set(url, madeUp.id(repoId, 'repo'))
      reports.set(String(report.reportId), { report, repoUrl: url })
    },
    /** A repository has the ID by which its reports were asked for, else one that is made up from its URL. */
    repoIdOf: (url: string) => repositories.get(url) ?? madeUp.id(`repository ${url}`, 'repo'),
    setGlobalLimit(response: unknown) {
      const { limit } = Object(response) as Fields
      if (limit === null || isCount(limit)) facts.globalLimit = limit
    },
    setOrganization(id: unknown) {
      if (isText(id)) facts.organizationId = madeUp.id(id, 'org')
    },
    /** @returns whether the number can be represented */
    setIntegrations(count: unknown): boolean {
      if (!isCount(count) || count > MOST_INTEGRATIONS) return false
      facts.integrations = count
      return true
    },
  }
  return facts
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
