import { compileWorker } from '../../src/install/compile-worker.ts'
import { packageRoot } from '../../src/package-root.ts'

/** Once for all tests that install the worker: without compiled code in dist/, each of them would make its own. */
export default () => compileWorker(packageRoot(), process.execPath)
