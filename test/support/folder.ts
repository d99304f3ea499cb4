import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that goes with the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hookbell-test-'))
  onTestFinished(() =>
    rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  )
  return folder
}
