import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const hasStrace = spawnSync('strace', ['-V']).status === 0

const TRACE = 'trace=write,pwrite64,fsync,link,linkat,rename,renameat,renameat2'

/** Runs code in a separate process. @returns its system calls that write below the folder, with paths relative to it */
export function writingCalls(folder: string, code: string): string[] {
  const own = mkdtempSync(join(tmpdir(), 'hookbell-calls-'))
  const log = join(own, 'calls')
  const node = [process.execPath, '--input-type=module', '--eval', code]
  try {
    spawnSync('strace', ['-f', '-y', '-qq', '-s', '1000', '-o', log, '-e', TRACE, ...node])
    const calls = readFileSync(log, 'utf8').split('\n')
    const ours = calls.filter((call) => call.includes(folder))
    return ours.map((call) => call.replaceAll(folder, '').replace(/^(?:\d+ +)?(\w+)\(\d*/, '$1 '))
  } finally {
    rmSync(own, { recursive: true })
  }
}
