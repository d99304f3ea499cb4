import { join } from 'node:path'
import { isTrustedIfPresent } from '../../src/fs/trust.ts'
import { compileWorker } from '../../src/install/compile-worker.ts'
import { packageRoot } from '../../src/package-root.ts'

/** Compiles the worker once for all tests that install it. Without compiled code in dist/, each of them would do so. */
export default async () => {
  const dist = join(packageRoot(), 'dist')
  for (const path of [dist, join(dist, 'worker.cjs')]) {
    // The front door would start no worker, and the tests would wait for one.
    if (!isTrustedIfPresent(path))
      throw new Error(`${path}: another user owns or can change it. Run: npm run build`)
  }
  await compileWorker(packageRoot(), process.execPath)
}
