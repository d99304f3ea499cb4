import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['./test/support/leave-nothing.ts', './test/support/compile-worker.ts'],
    setupFiles: './test/support/property-runs.ts',
    reporters: ['default', './test/support/count-reporter.ts'],
    // A fixed zone, because messages show the local time.
    env: { TZ: 'UTC' },
    // Limits for what hangs, however busy the machine is. The full sweeps take minutes.
    testTimeout: process.env.HOOKBELL_FULL === '1' ? 3_600_000 : 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 600_000 } },
    // More than there are processors: many tests wait for processes and servers.
    maxWorkers: Math.max(4, 2 * availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // Test files share the environment of their worker: importing zod, fast-check and the sources again for each file
    // took a third of the time. So a test must restore what it changes in its process.
    isolate: false,
    coverage: { include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
})
