import type * as z from 'zod'
import { notifierOfType, notifiers } from '../../notifiers/index.ts'
import { closest, didYouMean } from '../../text/suggest.ts'
import { asText, issueInWords, show, valueAt } from '../../text/zod-issue.ts'
import { channelType } from '../schema/channel.ts'
import { hubSettings } from '../schema/hub-settings.ts'
import { digest, noise, quietHoursShape } from '../schema/noise.ts'
import { conditionShape, route, stepShape } from '../schema/route.ts'
import { configSchema, journal, retry } from '../schema/schema.ts'
import { bareReference } from './warnings.ts'

/** The fault of a key that does not exist: the same whatever its value is. */
export const UNKNOWN_KEY = 'unknown key'

export interface Fault {
  path: readonly PropertyKey[]
  what: string
  hint?: string | undefined
}

/**
 * All faults, one per place: a second one usually follows from the first. A missing key is not reported if the same object
 * has an unknown key: that is probably the missing one, misspelt.
 */
export function faultsOf(issues: readonly z.core.$ZodIssue[], raw: unknown): Fault[] {
  const places = issues.map(({ path }) => path.join('\n'))
  const objects = places.filter((_, index) => isUnknownKeys(issues[index]))
  const isFirst = (index: number) => places.indexOf(places[index] ?? '') === index
  const isMisspelt = ({ path }: z.core.$ZodIssue) =>
    valueAt(raw, path) === undefined && objects.includes(path.slice(0, -1).join('\n'))
  return issues
    .filter((issue, index) => isUnknownKeys(issue) || (isFirst(index) && !isMisspelt(issue)))
    .flatMap((issue) => describeIssue(issue, raw))
}

function isUnknownKeys(issue: z.core.$ZodIssue | undefined): boolean {
  return issue?.code === 'unrecognized_keys'
}

/** The first fault of a file with another schema than the user's configuration. */
export function firstFaultOf(issues: readonly z.core.$ZodIssue[], raw: unknown): Fault {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  if (!issue) return { path: [], what: 'not valid' }
  if (issue.code === 'unrecognized_keys')
    return { path: [...issue.path, issue.keys[0] ?? ''], what: UNKNOWN_KEY }
  return { path: issue.path, what: issueInWords(issue, valueAt(raw, issue.path)) }
}

function describeIssue(issue: z.core.$ZodIssue, raw: unknown): Fault | Fault[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(path, typeAt(path, raw))
    return issue.keys.map((key) => {
      return { path: [...path, key], what: UNKNOWN_KEY, hint: didYouMean(key, known) }
    })
  }
  const value = valueAt(raw, path)
  if (issue.code === 'invalid_union' && path.at(-1) === 'type') return wrongType(path, value)
  if (issue.code === 'invalid_union' && path[0] === 'secrets') return { path, what: issue.message }
  if (issue.code === 'invalid_key') return { path, what: `must be ${issue.issues[0]?.message}` }
  const what = issueInWords(issue, value)
  const hint = howToRefer(path, value) ?? howToWrite(issue, value) ?? meaningOf(path, raw)
  return { path, what, hint }
}

function wrongType(path: readonly PropertyKey[], value: unknown): Fault {
  const types = Object.keys(notifiers)
  if (value === undefined) return { path, what: 'is missing', hint: `Known: ${types.join(', ')}` }
  const text = asText(value)
  const hint = /\.[cm]?[jt]s$/.test(text)
    ? `Write a notifier of your own with its folder: "./${text}"`
    : didYouMean(text, types)
  return { path, what: `unknown type ${show(value)}`, hint }
}

const examples = new Map<PropertyKey | undefined, string>([
  ['channels', 'Such as { "type": "desktop" }'],
  ['routes', 'Such as { "on": ["done"], "to": ["desktop"] }'],
])

/** Hints for mistakes that are common in JSON. */
function howToWrite(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  if (issue.code === 'invalid_value' && typeof value === 'string') {
    const meant = closest(value, issue.values.map(String))
    return meant && `Did you mean "${meant}"?`
  }
  if (issue.code !== 'invalid_type') return undefined
  if (issue.expected === 'object' && issue.path.length === 2) return examples.get(issue.path[0])
  if (issue.expected === 'array' && typeof value === 'object' && value !== null)
    return 'Put it in brackets: [{ ... }]'
  if (typeof value !== 'string') return undefined
  if (issue.expected === 'array') return 'Put it in brackets: ["..."]'
  const isBare = /^(true|false|-?\d+(\.\d+)?)$/.test(value)
  return isBare && ['number', 'boolean'].includes(issue.expected)
    ? 'Write it without quotes'
    : undefined
}

function howToRefer(path: readonly PropertyKey[], value: unknown): string | undefined {
  const isBare = path[0] === 'channels' && typeof value === 'string' && bareReference({}, value)
  return isBare ? `Write a reference with braces: \${NAME}` : undefined
}

function meaningOf(path: readonly PropertyKey[], raw: unknown): string | undefined {
  const meaning = descriptionAt(path, typeAt(path, raw))
  return meaning && `Meaning: ${meaning}`
}

/** The type of the channel on a path; only read for a path in `channels`. */
function typeAt(path: readonly PropertyKey[], raw: unknown): string {
  return asText(valueAt(raw, [...path.slice(0, 2), 'type']))
}

/** The names of the fields that the object at a path may have. `type` is that of the channel, if it is one. */
function keysAt(path: readonly PropertyKey[], type: string): string[] {
  return Object.keys(fieldsAt(path, type) ?? configSchema.shape)
}

/** The description of the innermost known field on a path. */
function descriptionAt(path: readonly PropertyKey[], type: string): string | undefined {
  const candidates = [path, path.slice(0, -1)].map((part) => fieldsAt(part, type))
  for (const fields of [...candidates, configSchema.shape]) {
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
