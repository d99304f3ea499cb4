import type { Client } from '../clients/define.ts'
import { clients, findClient } from '../clients/index.ts'
import type { Surface, Variant } from '../clients/payload-facts.ts'
import { type CanonicalEvent, canonicalEvents } from '../clients/vocabulary.ts'
import type { AgentEvent } from './event.ts'
import { matches, type Payload } from './payload.ts'

const all: readonly Client[] = Object.values(clients)
const canonical: ReadonlySet<string> = new Set(canonicalEvents)

/**
 * The client that an event is from. The registered command names it with `--client`; without that, the payload shows
 * it. The payload also shows a client that runs the hooks in another client's settings.
 */
export function clientOf(told: string, payload: Payload): string {
  const known = findClient(told)
  const others = known ? all.filter(({ alsoRuns }) => alsoRuns.includes(told)) : all
  if (known && isMarked(known, payload)) return told
  return others.find((client) => isMarked(client, payload))?.name ?? told
}

function isMarked({ marks }: Client, payload: Payload): boolean {
  return marks.some((where) => matches(payload, where))
}

/** The program around the client, by the variables of the session; undefined in a terminal, or if it is not known. */
export function surfaceOf(
  client: string,
  env: Readonly<Record<string, string>>,
): Surface | undefined {
  return findClient(client)?.surfaces?.find((surface) => matches(env, surface.env))
}

/** What an event means; '' if no client has an event of this name. */
export function meaningOfName(client: string, name: string, payload: Payload): CanonicalEvent | '' {
  const own = findClient(client)
  const asked = askedFor(own)
  const variant = asked.variants.find(isFor(name, own, payload))
  if (variant) return variant.means
  const alias = asked.clients.find(({ aliases }) => Object.hasOwn(aliases, name))?.aliases[name]
  return alias ?? (canonical.has(name) ? (name as CanonicalEvent) : '')
}

/** What an event means if a sub-agent sends it. Its questions stay questions. */
const fromAgent: Partial<Record<CanonicalEvent | '', CanonicalEvent>> = {
  SessionStart: 'SubagentStart',
  UserPromptSubmit: 'SubagentStart',
  TurnStart: 'SubagentStart',
  Stop: 'SubagentStop',
  StopFailure: 'SubagentStop',
  Interrupt: 'SubagentStop',
}

/**
 * An event that names a sub-agent, or the session that started its own, is no event of the session's agent: Claude Code
 * reports the failure of a background agent as one of its session (anthropics/claude-code#91419).
 */
export function meaningFor(
  means: CanonicalEvent | '',
  { agentId, parentSessionId }: Pick<AgentEvent, 'agentId' | 'parentSessionId'>,
): CanonicalEvent | '' {
  return agentId || parentSessionId ? (fromAgent[means] ?? means) : means
}

interface Asked {
  clients: readonly Client[]
  variants: readonly Variant[]
}

const known = new Map<Client | undefined, Asked>()

/** All clients, the event's own first: a hook that was registered for the wrong client is understood too. */
function askedFor(own: Client | undefined): Asked {
  const before = known.get(own)
  if (before) return before
  const list = own ? [own, ...all.filter((one) => one !== own)] : all
  const asked = { clients: list, variants: list.flatMap(({ variants }) => variants) }
  known.set(own, asked)
  return asked
}

/** Another client's rule applies only to a name that is not canonical. */
function isFor(name: string, own: Client | undefined, payload: Payload) {
  return (variant: Variant) => {
    if (variant.event !== name) return false
    const isOwn = own?.variants.includes(variant) ?? false
    return (isOwn || !canonical.has(name)) && matches(payload, variant.where)
  }
}
