// A route may name a channel in several of its steps, to remind a person. Each time after the first counts as a channel of its
// own, so that it waits, is sent and is cancelled by itself: `desk:2`. No channel of a configuration has such a name.
const REPEATED = /:\d+$/

/** @param time which of the steps with this channel it is, from 1 */
export function repeatedChannel(name: string, time: number): string {
  return time > 1 ? `${name}:${time}` : name
}

/** The name that the channel has in the configuration. */
export function configuredChannel(name: string): string {
  return name.replace(REPEATED, '')
}

/** The id of a message. A receiver that drops second copies must take a reminder for none. */
export function messageId(event: string, channel: string): string {
  return `${event}${REPEATED.exec(channel)?.[0].replace(':', '~') ?? ''}`
}
