import { join } from 'node:path'
import { isTrustedIfPresent } from '../../src/fs/ownership.ts'
import { compileWorker } from '../../src/install/front-door.ts'
import { packageRoot } from '../../src/package-root.ts'

/** Compiles the worker into dist/ once. Otherwise each test that installs hookbell would compile it. */
export default async () => {
  const dist = join(packageRoot(), 'dist')
  for (const path of [dist, join(dist, 'worker.cjs')]) {
    // The front door starts no worker that another user can change, so the tests would wait for one until they time out.
    if (!isTrustedIfPresent(path))
      throw new Error(`${path}: another user owns or can change it. Run: npm run build`)
  }
  await compileWorker(packageRoot(), process.execPath)
}
