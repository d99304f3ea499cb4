import { expect, it } from 'vitest'
import { askProgram } from '../../src/notifiers/_ask-program.ts'
import { canHang, makeHungMount } from '../support/hung-mount.ts'

it.runIf(canHang)('a program whose disk does not answer is asked until the deadline', async () => {
  const env = { PATH: await makeHungMount(60) }
  const signal = AbortSignal.timeout(500)
  expect(await askProgram('notify-send', ['--version'], { env, signal })).toMatchObject({
    failed: true,
    isCanceled: true,
  })
})
