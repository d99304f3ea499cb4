import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareSpool } from '../src/spool/layout.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
export const cli = join(root, 'bin/hookbell')
export const lineProgram = join(root, 'bin/hookbell-line')
export const frontDoor = join(root, 'bin/hookbell-hook')
export const worker = join(root, 'dist/worker.cjs')
export const library = join(root, 'dist/api.js')

/** Makes a temporary home with state and configuration folders of its own. */
export function makeHome(channel: object, more: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-bench-'))
  const [stateDir, configDir] = [join(folder, 'state'), join(folder, 'config')]
  for (const path of [stateDir, configDir]) mkdirSync(path, { mode: 0o700 })
  const configure = (config: object) =>
    writeFileSync(join(configDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  configure({ channels: { bench: channel }, routes: [{ on: ['*'], to: ['bench'] }], ...more })
  return {
    folder,
    stateDir,
    configure,
    spool: prepareSpool(stateDir),
    env: { ...process.env, HOOKBELL_STATE_DIR: stateDir, HOOKBELL_CONFIG_DIR: configDir },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Prints a title and aligned columns. */
export function printTable(title: string, rows: readonly (readonly string[])[]) {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)))
  console.log(`\n${title}\n${lines.map((line) => `  ${line.join('   ').trimEnd()}`).join('\n')}`)
}
