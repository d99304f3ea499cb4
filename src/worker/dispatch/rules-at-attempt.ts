import type { LoadedConfig } from '../../config/load/load.ts'
import { disturbsSomebody } from '../../deliver/audience.ts'
import type { EarlierMessages, MessageLife } from '../../deliver/message-life.ts'
import type { Hold } from '../../deliver/outcome.ts'
import type { Delivery } from '../../delivery.ts'
import { OWN_CLIENT } from '../../journal/own-events.ts'
import { describeMute, findMute, type Mute } from '../../policy/mutes.ts'
import { MAX_QUIET_MS } from '../../policy/rules/quiet-hours.ts'
import { judgeDue, noiseOf } from '../../prepare/decide.ts'
import { groupOf } from '../../prepare/prepare.ts'

interface RuleDeps {
  config(): LoadedConfig
  /** The mutes in force. */
  mutes(): readonly Mute[]
  projectOf(cwd: string): Promise<string>
  now(): number
}

/**
 * Applies mutes and quiet hours before each attempt too: a message may have waited for its destination for hours,
 * queued or between two attempts.
 */
export function withRules(life: EarlierMessages, deps: RuleDeps): MessageLife {
  return {
    whyOver: async (delivery) => {
      const muted = await whyMuted(delivery, deps)
      if (muted !== undefined || getsEverything(delivery, deps.config())) return muted
      return await life.whyOver(delivery)
    },
    whyLater: (delivery) =>
      delivery.isUnconditional ? undefined : quietHold(delivery, deps.config(), deps.now()),
    begin: (delivery, destination) => life.begin(delivery, destination),
  }
}

/**
 * Whether its channel opted out of the rules. A later step (only these expire) still depends on what happened since.
 */
function getsEverything({ channel, expires }: Delivery, { config }: Pick<LoadedConfig, 'config'>) {
  return expires === 0 && !noiseOf(channel, config).hasNoiseRules
}

/** How quiet hours hold a delivery that is due now; undefined if it may be sent. */
export function quietHold(
  delivery: Delivery,
  { config }: Pick<LoadedConfig, 'config'>,
  now: number,
): Hold | undefined {
  const { channel, message, acceptedAt, expires } = delivery
  const isOver = now - acceptedAt >= MAX_QUIET_MS || (expires > 0 && now > expires)
  // hookbell's own message, the digest, comes at the time that a person has set.
  const isOwn = message.client === OWN_CLIENT
  if (isOver || isOwn) return undefined
  const verdict = judgeDue(delivery, config, now)
  if (verdict.type !== 'hold') return undefined
  const { until, reason, group, dueOtherwise } = verdict
  return { until, reason, dueOtherwise, ...groupOf(channel, group, config) }
}

/**
 * The held delivery. The time until its end counts neither towards its expiry nor towards the age at which to give up.
 * @param from when it would have been tried, Unix ms
 */
export function heldUntil(delivery: Delivery, { until }: Hold, from: number): Delivery {
  const { notBefore, expires, firstTriedAt } = delivery
  return {
    ...delivery,
    notBefore: until,
    expires: expires && until + (expires - notBefore),
    firstTriedAt: firstTriedAt && firstTriedAt + (until - from),
  }
}

/**
 * The properties by which a mute may name a delivery. A summary has no kind; one of several sessions has no session,
 * folder or project.
 */
export async function originOf(
  { events, kind, questions = [], message: { sessionId, cwd } }: Delivery,
  projectOf: RuleDeps['projectOf'],
) {
  const isQuestion = kind === 'permission' || questions.length > 0
  const about = { sessionId, kind: events.length > 1 ? '' : kind, isQuestion }
  if (events.length > 1 && sessionId === '') return { ...about, cwd: '', project: '' }
  return { ...about, cwd, project: await projectOf(cwd).catch(() => '') }
}

async function whyMuted(delivery: Delivery, { config, mutes, projectOf, now }: RuleDeps) {
  const current = mutes()
  if (current.length === 0 || delivery.isUnconditional) return undefined
  if (!disturbsSomebody(delivery.channel, config().config)) return undefined
  const muted = findMute(current, await originOf(delivery, projectOf), now())
  return muted && describeMute(muted)
}
