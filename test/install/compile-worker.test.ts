import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compileWorker } from '../../src/install/compile-worker.ts'
import { makeFolder } from '../support/folder.ts'

// A path such as /dev/null would be a real file on Windows.
it('the rehearsal writes only below the private copy, and removes what it wrote', async () => {
  const runtime = await makeFolder()
  mkdirSync(join(runtime, 'dist'))
  writeFileSync(join(runtime, 'dist/worker-code.cjs'), '')
  writeFileSync(
    join(runtime, 'dist/worker.cjs'),
    `const { copyFileSync } = require('node:fs')
copyFileSync(process.env.HOOKBELL_CONFIG_DIR + '/config.json', __dirname + '/config.json')`,
  )
  await compileWorker(runtime, process.execPath)
  const { channels } = JSON.parse(readFileSync(join(runtime, 'dist/config.json'), 'utf8'))
  expect(channels.file.path).toBe(join(runtime, 'rehearsal/events.jsonl'))
  expect(existsSync(join(runtime, 'rehearsal'))).toBe(false)
})
