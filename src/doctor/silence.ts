import { describeMute } from '../policy/mutes.ts'
import { type Check, check, type Facts } from './check.ts'

/** Checks what the user has silenced, perhaps long ago. */
export function checkSilence({ isOnHold, mutes }: Facts): Check[] {
  return [
    isOnHold
      ? check('hold', 'warning', 'nothing is sent', 'hookbell resume')
      : check('hold', 'ok', 'nothing is on hold'),
    ...mutes.map((mute) => check('mute', 'warning', describeMute(mute), 'hookbell unmute')),
    ...(mutes.length === 0 ? [check('mute', 'ok', 'nothing is muted')] : []),
  ]
}
