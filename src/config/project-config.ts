import * as z from 'zod'
import { HookbellError } from '../errors.ts'
import { kinds } from '../event/event.ts'
import { cleanText, cutText, oneLine } from '../text/clean.ts'
import { firstFaultOf } from './load/issue.ts'
import { parseObject } from './load/parse-object.ts'
import { messageAt } from './load/position.ts'
import { conditions } from './schema/route.ts'

/** In the top folder of a repository. */
export const PROJECT_FILE = '.hookbell.json'

const MAX_MESSAGE = 300

/**
 * What a repository may configure. It can only take away, never add: no destination, command, reference, template or
 * path is among these fields, and none may ever be.
 */
const projectSchema = z.strictObject({
  $schema: z.string().max(1000).optional().describe('For editors'),
  name: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Name of the project in messages. Routes and mutes use its folder'),
  mute: z
    .union([z.boolean(), z.array(z.enum(kinds)).max(20)], {
      error: `must be true, or a list such as ["done"] of ${kinds.join(', ')}`,
    })
    .optional()
    .describe('Kinds that are suppressed. Permission questions only if the file is trusted'),
  minSeconds: z.number().nonnegative().max(1e6).optional().describe('Minimum value, see noise'),
  cooldownSeconds: z
    .number()
    .nonnegative()
    .max(1e6)
    .optional()
    .describe('Minimum value, see noise'),
  answers: z
    .literal(false, { error: 'must be false: a project can only switch answers off' })
    .optional()
    .describe('false: its questions cannot be answered on channels'),
  kinds: z
    .array(z.enum(kinds))
    .max(20)
    .optional()
    .describe('Only these kinds are sent. Only if the file is trusted'),
  when: conditions.optional().describe('Only sent if these hold. Only if the file is trusted'),
  not: conditions
    .optional()
    .describe('Suppressed if one of these holds. Only if the file is trusted'),
})

export type ProjectConfig = z.output<typeof projectSchema>

/** @throws HookbellError E_CONFIG with the position; the text comes from a repository: it is cleaned and truncated */
export function parseProject(text: string): ProjectConfig {
  try {
    const { tree, raw } = parseObject(text, PROJECT_FILE)
    const result = projectSchema.safeParse(raw)
    if (result.success) return result.data
    const { path, what } = firstFaultOf(result.error.issues, raw)
    const place = { path: PROJECT_FILE, text, tree }
    throw new HookbellError('E_CONFIG', messageAt(place, path, what))
  } catch (error) {
    // Any other error, such as nesting too deep for the parser.
    const message = error instanceof HookbellError ? error.message : `${PROJECT_FILE}: not readable`
    throw new HookbellError('E_CONFIG', cutText(oneLine(cleanText(message)), MAX_MESSAGE), {
      hint: 'A project may say: name, mute, minSeconds, cooldownSeconds, answers; once trusted: kinds, when, not',
    })
  }
}

/** The settings of a file that take effect only once it is trusted, in words. */
export function needsTrust({ mute, kinds: only, when, not }: ProjectConfig): string[] {
  const mutesQuestions = mute === true || (Array.isArray(mute) && mute.includes('permission'))
  return [
    ...(mutesQuestions ? ['mute of permission questions'] : []),
    ...(only ? ['kinds'] : []),
    ...(when ? ['when'] : []),
    ...(not ? ['not'] : []),
  ]
}
