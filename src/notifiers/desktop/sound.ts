import { access } from 'node:fs/promises'
import { extname, isAbsolute, join } from 'node:path'
import * as z from 'zod'
import type { Message } from '../../delivery.ts'
import { type Kind, kinds } from '../../event/event.ts'
import { expandHome } from '../../fs/home.ts'
import { programAnswers } from '../../fs/program-answers.ts'
import { basicEnv, ownUser } from '../_programs.ts'
import { untilAborted } from '../_until-aborted.ts'
import { DeliveryError, tooLate } from '../define.ts'

/** The usual sound: its name in the sound themes of desktops. https://specifications.freedesktop.org/sound-naming-spec */
export const USUAL_SOUND = 'message-new-instant'

const NAME = /^[A-Za-z0-9][\w-]{0,63}$/
const ONE_FORM = "must be true, false, a name of the desktop's sound theme, or an absolute path"
const oneSound = z.union(
  [
    z.boolean(),
    z.string().refine((text) => NAME.test(text) || expandHome(text) !== undefined, ONE_FORM),
  ],
  { error: ONE_FORM },
)
const perKind = Object.fromEntries(kinds.map((kind) => [kind, oneSound.optional()] as const))

/** Whether and how a message sounds. */
export const soundOption = z
  .union(
    [
      z.boolean(),
      z.literal('asks'),
      z.strictObject(perKind as Record<Kind, z.ZodOptional<typeof oneSound>>),
    ],
    { error: 'must be true, false, "asks", or an object with the sounds of kinds such as done' },
  )
  .default(false)
  .describe(
    "A sound for every message (true), for questions (asks), or by kind: true, a name of the desktop's sound theme, or a file",
  )

/** @returns a name of the sound theme, or the path of a file; undefined for no sound */
export function soundOf(
  { kind, asks }: Pick<Message, 'kind' | 'asks'>,
  option: z.output<typeof soundOption>,
): string | undefined {
  const means = asks ? 'waiting' : kind
  if (typeof option !== 'object') {
    const isQuestion = ['permission', 'waiting'].includes(means)
    return option === true || (option === 'asks' && isQuestion) ? USUAL_SOUND : undefined
  }
  const chosen = option[means] ?? option[kind] ?? false
  return typeof chosen === 'string'
    ? (expandHome(chosen) ?? chosen)
    : chosen
      ? USUAL_SOUND
      : undefined
}

/** The sounds of an option, each with the kinds of messages that have it. */
export function kindsBySound(option: unknown): Map<string, Kind[]> {
  const parsed = soundOption.parse(option)
  const sounds = new Map<string, Kind[]>()
  for (const kind of kinds) {
    const sound = soundOf({ kind }, parsed)
    if (sound !== undefined) sounds.set(sound, [...(sounds.get(sound) ?? []), kind])
  }
  return sounds
}

/**
 * Starts to play a sound, and does not wait for its end. @returns the program that plays it
 * @throws DeliveryError if there is no such sound, or no program that plays it
 */
export async function startSound(sound: string, signal: AbortSignal): Promise<string> {
  const isLate = () => tooLate('desktop', signal)
  const paths = isAbsolute(sound) ? [sound] : placesInTheme(sound, themeFolders())
  // Not at once: the disk of a home may hang.
  const file = await untilAborted(() => firstOf(paths), signal, isLate)
  if (file === undefined) {
    throw new DeliveryError('unavailable', `desktop: there is no sound ${sound}`, {
      hint: 'On Debian, sound-theme-freedesktop has the usual ones; or name a file',
    })
  }
  const env = { ...basicEnv(), ...(process.env.PATH && { PATH: process.env.PATH }) }
  for (const program of playersOf(file)) {
    await untilAborted(() => programAnswers(program, env.PATH), signal, isLate)
    if (await starts(program, file, env)) return program
  }
  throw new DeliveryError('unavailable', 'desktop: no program here plays sounds', {
    hint: 'On Debian, install pipewire-bin or pulseaudio-utils',
  })
}

/** Programs that play a file. All of them need no display. */
function playersOf(file: string): string[] {
  if (process.platform === 'win32') return []
  if (process.platform === 'darwin') return ['/usr/bin/afplay']
  return ['pw-play', 'paplay', ...(extname(file) === '.wav' ? ['aplay'] : [])]
}

/** Detached: neither the delivery nor the end of this process waits for the end of the sound. */
async function starts(program: string, file: string, env: Record<string, string>) {
  const { execa } = await import('execa')
  const options = { extendEnv: false, cwd: '/', stdio: 'ignore', reject: false } as const
  const child = execa(program, [file], {
    ...options,
    env,
    detached: true,
    cleanup: false,
    windowsHide: true,
  })
  child.unref()
  return child.pid !== undefined
}

function themeFolders(): string[] {
  const shared = ['/usr/local/share', '/usr/share', '/run/current-system/sw/share']
  return [join(ownUser().homedir, '.local/share'), ...shared].map((one) => join(one, 'sounds'))
}

/** Where a sound may be in the theme from which all others inherit. macOS has a folder of its own. */
export function placesInTheme(name: string, folders: readonly string[]): string[] {
  if (process.platform === 'darwin')
    return [`/System/Library/Sounds/${name === USUAL_SOUND ? 'Glass' : name}.aiff`]
  const files = ['oga', 'ogg', 'wav'].map((type) => `freedesktop/stereo/${name}.${type}`)
  return folders.flatMap((folder) => files.map((file) => join(folder, file)))
}

async function firstOf(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}
