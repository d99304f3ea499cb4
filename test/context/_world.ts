import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const fixtures = join(import.meta.dirname, '../fixtures/transcripts')

export function transcriptText(format: string): string {
  return readFileSync(join(fixtures, `${format}.jsonl`), 'utf8')
}

/** Makes a home with a folder for transcripts of droid. */
export function makeHome() {
  const home = mkdtempSync(join(tmpdir(), 'hookbell-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const root = join(home, '.factory/sessions')
  mkdirSync(root, { recursive: true })
  const path = join(root, 's1.jsonl')
  return { home, root, path }
}

/** Copies the files that belong next to a transcript. */
export function addSidecars(format: string, path: string): void {
  const settings = join(fixtures, `${format}.settings.json`)
  if (existsSync(settings)) cpSync(settings, path.replace(/\.jsonl$/, '.settings.json'))
  const workspace = join(fixtures, `${format}.workspace.yaml`)
  if (existsSync(workspace)) cpSync(workspace, join(path, '../workspace.yaml'))
}
