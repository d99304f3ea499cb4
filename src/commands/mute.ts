import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say } from '../cli/output.ts'
import { mutesInForce, readMutes, writeMutes } from '../policy/mute-file.ts'
import {
  describeMute,
  extentOf,
  isSameExtent,
  type Mute,
  makeMute,
  unmuteCommand,
} from '../policy/mutes.ts'
import { prepareSpool } from '../spool/layout.ts'
import { showPath } from '../text/clean.ts'
import { stateFolders } from './_events.ts'
import { muteExtent } from './mute/extent.ts'
import { unseenExtent } from './mute/unseen.ts'
import { muteUntil } from './mute/until.ts'

export const muteCommand = defineCommand({
  args: {
    for: {
      type: 'positional',
      required: false,
      description: 'Such as 30m, 2h, 1d; or: until. Default: 1h',
    },
    time: {
      type: 'positional',
      required: false,
      description: 'After until: such as 9:00; or: unmute',
    },
    session: {
      type: 'string',
      description: 'Only this session',
      valueHint: 'ID',
    },
    project: {
      type: 'string',
      description: 'Only this project; . is the current folder',
      valueHint: 'NAME',
    },
    kind: { type: 'string', description: 'Only this kind, such as done', valueHint: 'KIND' },
    questions: { type: 'boolean', description: 'Permission questions too' },
    json: {
      type: 'boolean',
      description: 'Print JSON: mute, others, unmute (the command), note (about the name)',
    },
  },
  run({ args }) {
    const now = new Date()
    const words = [args.for, args.time].filter((word) => word !== undefined)
    const until = muteUntil(words, now)
    const mute = makeMute({ ...muteExtent('mute', args), until, questions: args.questions })
    const folders = stateFolders()
    for (const folder of folders) add(folder, mute, now.getTime())
    const unseen = unseenExtent(mute, folders)
    const others = mutesInForce(folders, now.getTime()).filter((one) => !isSameExtent(one, mute))
    if (args.json) {
      const note = unseen === undefined ? {} : { note: unseen }
      return printJson({ mute, others, unmute: asTyped(unmuteCommand(mute)), ...note })
    }
    const isSpared = mute.kind === undefined && !mute.questions
    const questions = isSpared ? ' Questions still come.' : ''
    const hour = words.length === 0 ? ', for an hour' : ''
    const what = `${describeMute(mute)}${hour}.${questions} Take it back with: ${unmuteCommand(mute)}`
    say(asTyped(showPath(what)))
    if (unseen !== undefined) say(showPath(unseen))
    for (const other of others) say(showPath(`Also muted ${extentOf(other)}`))
  },
})

/** Replaces an earlier mute of the same extent. */
function add(stateDir: string, mute: Mute, now: number) {
  prepareSpool(stateDir)
  const others = readMutes(stateDir).filter((other) => !isSameExtent(other, mute))
  writeMutes(stateDir, [...others, mute], now)
}
