import { compileWorker } from '../../src/install/compile-worker.ts'
import { packageRoot } from '../../src/package-root.ts'

/** Compiles the worker once for all tests that install it. Without compiled code in dist/, each of them would do so. */
export default () => compileWorker(packageRoot(), process.execPath)
