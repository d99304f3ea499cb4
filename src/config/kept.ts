import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders, replaceFile } from '../fs/durable.ts'
import { readQuietly } from '../fs/read.ts'
import { isTrusted, isTrustedIfPresent } from '../fs/trust.ts'
import { packageVersion } from '../version.ts'
import { configPath, secretsPath } from './paths.ts'

// What came of the configuration, kept in the state folder for as long as no file changes that it was made of: to load it
// takes as long as Node.js takes to start. Whoever keeps something keeps no secret, and nothing of a file with a fault.

/** Long enough that a later change of a file gets another time. */
const SETTLED_AFTER_MS = 2000

// Written in by scripts/build.ts: another form of the configuration is another schema.
declare const BUILT_SCHEMA: string | undefined

/** @param files the stamp of the files; read it before the files themselves */
export function stampOf(configDir: string, files: string): string {
  const schema = typeof BUILT_SCHEMA === 'string' ? BUILT_SCHEMA : 'source'
  return `${packageVersion()} ${schema} ${configDir} ${files}`
}

/** What was kept under a name; undefined where it is not of these files, or somebody else may have written it. */
export function readKept(stateDir: string, name: string, stamp: string): unknown {
  const path = keptPath(stateDir, name)
  const text = readQuietly(path)
  if (text === undefined || ![stateDir, dirname(path), path].every(isTrusted)) return undefined
  try {
    const kept = JSON.parse(text)
    return kept.stamp === stamp ? kept.value : undefined
  } catch {
    return undefined
  }
}

/** Best effort: without it the configuration is loaded again. */
export function keep(stateDir: string, name: string, { stamp, value }: Kept) {
  if (!existsSync(stateDir)) return
  const path = keptPath(stateDir, name)
  try {
    makeFolders(dirname(path), 0o700)
    replaceFile(path, JSON.stringify({ stamp, value }))
  } catch {}
}

interface Kept {
  stamp: string
  value: unknown
}

/** Whether the stamp tells of every change from now on: who is in a group is not part of it. */
export function mayBeKept(configDir: string, now: number): boolean {
  return [configPath(configDir), secretsPath(configDir)].every((path) => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return isTrustedIfPresent(path) && now - (stat?.ctimeMs ?? 0) > SETTLED_AFTER_MS
  })
}

function keptPath(stateDir: string, name: string): string {
  return join(stateDir, 'cache', `${name}.json`)
}
