import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './test/support/count-reporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 4,
    coverage: { include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
})
