import { expect, it } from 'vitest'
import { runTool } from '../../../src/notifiers/desktop/run-tool.ts'
import { canHang, makeHungMount } from '../../support/hung-mount.ts'
import { failureOf } from '../_suite.ts'

it.runIf(canHang)(
  'a tool whose disk does not answer is waited for until the deadline',
  async () => {
    const tool = { file: 'notify-send', args: [], env: { PATH: await makeHungMount(60) } }
    expect(await failureOf(runTool(tool, AbortSignal.timeout(500)))).toMatchObject({
      verdict: 'retry',
      message: 'desktop: the disk of notify-send did not answer in time',
    })
  },
)
