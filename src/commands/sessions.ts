import { hostname } from 'node:os'
import { defineCommand } from 'citty'
import { Board } from '../board/board.ts'
import { lineOf } from '../board/line.ts'
import { asTyped } from '../cli/how-to-call.ts'
import { fit, print, printJson } from '../cli/output.ts'
import { partsOfName } from '../context/project.ts'
import { usageError } from '../errors.ts'
import { stateFolders } from './_events.ts'
import { asRow, describeSessions, type Row } from './sessions/text.ts'
import { watchSessions } from './sessions/watch.ts'

export const sessionsCommand = defineCommand({
  args: {
    project: {
      type: 'string',
      description: 'Only sessions of this project',
      valueHint: 'NAME',
    },
    all: { type: 'boolean', description: 'Also those that have ended' },
    watch: { type: 'boolean', description: 'Show them until q is pressed, always as they are now' },
    line: { type: 'boolean', description: 'Print who asks you, in a few words for a status line' },
    json: { type: 'boolean', description: 'Print JSON of all sessions' },
  },
  async run({ args: { project, all, json, line, watch } }) {
    if ([watch, line, json].filter(Boolean).length > 1)
      throw usageError('sessions: only one of --watch, --line and --json')
    const board = new Board(stateFolders())
    const host = hostname()
    const read = async (now: number) => {
      const found = await board.read(now)
      const wanted = found.filter(
        ({ state, session }) =>
          (all || json || state !== 'ended') && isOf(session.seen?.project ?? '', project),
      )
      return {
        wanted,
        rows: wanted.map((one) => asRow(one, host)),
        left: found.length - wanted.length,
      }
    }
    if (watch) return await watchSessions(async (now) => pageOf(await read(now), now))
    const now = Date.now()
    const page = await read(now)
    if (json) return printJson(page.rows)
    if (line)
      return print(
        lineOf(
          page.wanted.filter(({ state }) => state === 'asks'),
          now,
        ),
      )
    print(pageOf(page, now))
  },
})

/** A linked work tree is of the project of its repository. */
function isOf(project: string, wanted: string | undefined): boolean {
  return wanted === undefined || project === wanted || partsOfName(project).repository === wanted
}

function pageOf({ rows, left }: { rows: readonly Row[]; left: number }, now: number): string {
  if (rows.length === 0) return fit(asTyped(left > 0 ? NONE_LIVES : NONE))
  return describeSessions(rows, now)
}

const NONE = 'No session of the last day. See whether hookbell is registered: hookbell status'
const NONE_LIVES = 'No such session lives. Those of the last day: hookbell sessions --all'
