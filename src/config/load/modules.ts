import { resolve } from 'node:path'
import { isObject } from '../../is-object.ts'
import { isFileType } from '../schema/secret-options.ts'

type Raw = Readonly<Record<string, unknown>>

/** Writes out channels whose type is a file: it is a notifier, and what stands beside the type are the options of that. */
export function withModules(raw: Raw, folder: string): Record<string, unknown> {
  return mapChannels(raw, ({ type, noise, clearance, ...options }) => ({
    ...{ type: 'module', file: pathOf(String(type), folder), options },
    ...(noise !== undefined && { noise }),
    ...(clearance !== undefined && { clearance }),
  }))
}

/** The same channels, as they can be written in a file of another folder. */
export function withFullPaths(raw: Raw, folder: string): Record<string, unknown> {
  return mapChannels(raw, (channel) => ({ ...channel, type: pathOf(String(channel.type), folder) }))
}

/** Changes the channels whose type is a file. */
function mapChannels(raw: Raw, change: (channel: Raw) => Raw): Record<string, unknown> {
  if (!isObject(raw.channels)) return raw
  const channels = Object.entries(raw.channels).map(([name, channel]) => {
    const isOwn = isObject(channel) && isFileType(channel.type)
    return [name, isOwn ? change(channel) : channel]
  })
  return { ...raw, channels: Object.fromEntries(channels) }
}

function pathOf(type: string, folder: string): string {
  return /^~[/\\]/.test(type) ? type : resolve(folder, type)
}
