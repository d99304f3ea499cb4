import { spawnSync } from 'node:child_process'

const PATH = '/usr/bin:/bin:/run/current-system/sw/bin'
/** Only what hangs takes this long, also on a busy machine. */
const LIMIT_MS = 60_000

/** Options of `cp` that copy everything but the content. On macOS it copies the content too. */
const options: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['--attributes-only', '--preserve=all'],
  darwin: ['-p'],
}

/**
 * Copies everything but the content from one file to another: extended attributes, access control lists, a security
 * label. Node.js has no functions for them. Best effort: if `cp` cannot copy them, they are lost.
 */
export function copyAttributes(from: string, to: string): void {
  const words = options[process.platform]
  if (!words) return
  spawnSync('cp', [...words, '--', from, to], { env: { PATH }, stdio: 'ignore', timeout: LIMIT_MS })
}
