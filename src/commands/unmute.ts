import { defineCommand } from 'citty'
import { say } from '../cli/output.ts'
import { readMutes, writeMutes } from '../policy/mute-file.ts'
import { isInForce, makeMute } from '../policy/mutes.ts'
import { stateFolders } from './_events.ts'

export const unmuteCommand = defineCommand({
  args: {
    session: { type: 'string', description: 'Only the mute of this one', valueHint: 'ID' },
    project: { type: 'string', description: 'Only the mute of this one', valueHint: 'NAME' },
  },
  run({ args }) {
    const now = Date.now()
    const { session, project } = makeMute({ ...args, until: 0 })
    const isAll = session === undefined && project === undefined
    const counts = stateFolders().map((folder) => {
      const mutes = readMutes(folder).filter((mute) => isInForce(mute, now))
      const rest = mutes.filter(
        (mute) => !isAll && (mute.session !== session || mute.project !== project),
      )
      writeMutes(folder, rest, now)
      return mutes.length - rest.length
    })
    say(Math.max(...counts) === 0 ? 'Nothing was muted' : 'No longer muted')
  },
})
