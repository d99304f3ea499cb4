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

const MOST_INTEGRATIONS = 100

/** Collects facts under made-up IDs. Values of unexpected types are no facts. */
export class Facts {
  readonly computers = new Map<string, KnownComputer>()
  readonly sessions = new Map<string, KnownSession>()
  /** The address of each user; null if analytics has none, undefined if none was seen. */
  readonly users = new Map<string, string | null | undefined>()
  readonly emails = new Set<string>()
  readonly accounts = new Set<string>()
  /** The service account of each key. */
  readonly keys = new Map<string, string>()
  readonly userLimits = new Map<string, number>()
  readonly wikiRuns = new Set<string>()
  readonly reports = new Map<string, KnownReport>()
  organizationId: string | undefined
  globalLimit: number | null | undefined
  integrations: number | undefined
  deletionStatus: 204 | undefined
  /** The ID of a repository by its URL. */
  readonly #repositories = new Map<string, string>()
  readonly #madeUp: MadeUp

  constructor(madeUp: MadeUp) {
    this.#madeUp = madeUp
  }

  /** @returns the made-up ID of the computer */
  knowComputer(id: unknown): string | undefined {
    if (!isText(id)) return undefined
    const made = this.#madeUp.id(id, 'comp')
    if (!this.computers.has(made)) this.computers.set(made, {})
    return made
  }

  addComputer(id: string, kept: Fields, { ownerId, ownerPrincipalKind }: Fields) {
    const made = this.knowComputer(id) ?? ''
    const { ownerId: _, ownerPrincipalKind: __, ...fields } = kept
    if (!isText(ownerId)) return void this.computers.set(made, { fields })
    const isAccount = ownerPrincipalKind === chosen.ownerKinds.value.account
    const owner = this.#madeUp.id(ownerId, isAccount ? 'sa' : 'user')
    if (isAccount) this.accounts.add(owner)
    else this.users.set(owner, this.users.get(owner))
    this.computers.set(made, { fields, ownerId: owner })
  }

  addSession(id: unknown, computerId: unknown, { title, createdAt }: Fields = {}) {
    if (!isText(id)) return undefined
    const made = this.#madeUp.id(id, 'sess')
    const known: KnownSession = this.sessions.get(made) ?? { messages: new Map() }
    this.sessions.set(made, known)
    known.computerId = this.knowComputer(computerId) ?? known.computerId
    if (isText(title)) known.title = this.#madeUp.text('title', title)
    if (Number.isSafeInteger(createdAt)) known.createdAt = createdAt as number
    return known
  }

  addUser({ user_id: id, user_email: email }: Fields) {
    if (!isText(id)) return
    const address = isText(email) ? this.#madeUp.email(email) : email === null ? null : undefined
    this.users.set(this.#madeUp.id(id, 'user'), address)
  }

  addEmail(email: unknown) {
    if (isText(email)) this.emails.add(this.#madeUp.email(email))
  }

  addUserLimit({ email, limit }: Fields) {
    if (!isText(email)) return
    const made = this.#madeUp.email(email)
    this.emails.add(made)
    if (isCount(limit)) this.userLimits.set(made, limit)
    else this.userLimits.delete(made)
  }

  addKey(accountId: unknown, keyId: unknown) {
    if (!isText(accountId) || !isText(keyId)) return
    const account = this.#madeUp.id(accountId, 'sa')
    this.accounts.add(account)
    this.keys.set(this.#madeUp.id(keyId, 'key'), account)
  }

  addWikiRun(id: unknown) {
    if (isText(id)) this.wikiRuns.add(this.#madeUp.id(id, 'wiki'))
  }

  addReport(report: Fields, repoUrl: string, repoId: string | null) {
    const url = this.#madeUp.url(repoUrl)
    if (repoId) this.#repositories.set(url, this.#madeUp.id(repoId, 'repo'))
    this.reports.set(String(report.reportId), { report, repoUrl: url })
  }

  /** A repository has the ID by which its reports were asked for, else one that is made up from its URL. */
  repoIdOf(url: string): string {
    return this.#repositories.get(url) ?? this.#madeUp.id(`repository ${url}`, 'repo')
  }

  setGlobalLimit(response: unknown) {
    const { limit } = Object(response) as Fields
    if (limit === null || isCount(limit)) this.globalLimit = limit
  }

  setOrganization(id: unknown) {
    if (isText(id)) this.organizationId = this.#madeUp.id(id, 'org')
  }

  /** @returns whether the number can be represented */
  setIntegrations(count: unknown): boolean {
    if (!isCount(count) || count > MOST_INTEGRATIONS) return false
    this.integrations = count
    return true
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
