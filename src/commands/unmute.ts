import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say } from '../cli/output.ts'
import { mutesInForce, readMutes, writeMutes } from '../policy/mute-file.ts'
import { isInForce, isSameExtent, makeMute } from '../policy/mutes.ts'
import { stateFolders } from './_events.ts'
import { muteExtent } from './mute/extent.ts'

export const unmuteCommand = defineCommand({
  args: {
    session: { type: 'string', description: 'Only the mute of this one', valueHint: 'ID' },
    project: { type: 'string', description: 'Only the mute of this one', valueHint: 'NAME' },
    kind: { type: 'string', description: 'Only the mute of this one', valueHint: 'KIND' },
    json: { type: 'boolean', description: 'Print JSON: ended (whether), left (the other mutes)' },
  },
  run({ args }) {
    const now = Date.now()
    const named = makeMute({ ...muteExtent('unmute', args), until: 0 })
    const isAll = isSameExtent(named, { until: 0 })
    const folders = stateFolders()
    const counts = folders.map((folder) => {
      const mutes = readMutes(folder).filter((mute) => isInForce(mute, now))
      const rest = mutes.filter((mute) => !isAll && !isSameExtent(mute, named))
      writeMutes(folder, rest, now)
      return { ended: mutes.length - rest.length, left: rest.length }
    })
    const isEnded = counts.some(({ ended }) => ended > 0)
    if (args.json) return printJson({ ended: isEnded, left: mutesInForce(folders, now) })
    if (counts.every(({ left }) => left === 0))
      return say(isEnded ? 'No longer muted' : 'Nothing was muted')
    const what = isEnded ? 'Ended' : 'There is no such mute'
    say(asTyped(`${what}. Other mutes remain: see hookbell status`))
  },
})
