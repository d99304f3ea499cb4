import { expect, it } from 'vitest'
import { describePlay } from '../../src/commands/demo.ts'

const act = {
  says: 'The task is done',
  event: 'Stop',
  kind: 'done',
  waitedMs: 7,
  exitCode: 0,
  output: '',
  outcome: 'delivered' as const,
  reason: '',
  received: {},
  attempts: {},
}
const said = 'Every hook exited 0 and printed nothing'

it('claims that every hook was silent only if each exited with 0 and printed nothing', () => {
  const play = { command: 'hook', settings: '', noDesktop: '' }
  expect(describePlay({ ...play, acts: [act] })).toContain(said)
  for (const wrong of [{ exitCode: 1 }, { output: 'x' }])
    expect(describePlay({ ...play, acts: [act, { ...act, ...wrong }] })).not.toContain(said)
})
