import type * as z from 'zod'
import { notifierOfType } from '../../notifiers/index.ts'
import { channelType } from './channel.ts'
import { digest } from './digest.ts'
import { hubSettings } from './hub-settings.ts'
import { noise, quietHoursShape } from './noise.ts'
import { conditionShape, route, stepShape } from './route.ts'
import { configSchema, journal, retry } from './schema.ts'

/** The names of the fields that the object at a path may have. `type` is that of the channel, if it is one. */
export function keysAt(path: readonly PropertyKey[], type: string): string[] {
  return Object.keys(fieldsAt(path, type) ?? configSchema.shape)
}

/** The description of the innermost known field on a path. */
export function descriptionAt(path: readonly PropertyKey[], type: string): string | undefined {
  const around = [path, path.slice(0, -1)].map((part) => fieldsAt(part, type))
  for (const fields of [...around, configSchema.shape]) {
    const name = path.findLast((key) => fields && Object.hasOwn(fields, key))
    const field = name === undefined ? undefined : (fields as Fields)[String(name)]
    if (field?.description !== undefined) return field.description
  }
  return undefined
}

type Fields = Record<string, z.ZodType>

/** The fields of the innermost object on a path; undefined at the top, and in a section without fields of its own. */
function fieldsAt([section, name, part]: readonly PropertyKey[], type: string): Fields | undefined {
  if (section === 'channels') {
    const notifier = notifierOfType(type)
    return notifier ? channelType(notifier).shape : {}
  }
  if (section === 'routes' && (part === 'when' || part === 'not')) return conditionShape
  if (section === 'routes' && part === 'steps') return stepShape
  if (section === 'noise' && name === 'quietHours') return quietHoursShape
  const sections: Record<string, Fields> = {
    retry: retry.shape,
    routes: route.shape,
    journal: journal.shape,
    noise: noise.shape,
    digest: digest.shape,
    hub: hubSettings.shape,
  }
  return sections[String(section)]
}
