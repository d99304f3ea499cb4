import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders, replaceFile } from '../fs/durable.ts'
import { isTrusted } from '../fs/ownership.ts'
import { readQuietly } from '../fs/read.ts'

/** A project file that a person has approved. It stays trusted while root, owner and hash are the same. */
export interface TrustedProject {
  /** Real path. */
  root: string
  owner: number
  /** SHA-256 of the content. */
  hash: string
  /** Unix ms. */
  at: number
}

const MAX_BYTES = 4 * 1024 * 1024

/** Outside of every repository, so that none can trust itself. */
export function trustedPath(stateDir: string): string {
  return join(stateDir, 'trusted-projects.json')
}

/** Nothing is trusted where the list is damaged, or where others can write it. */
export function readTrusted(stateDir: string): TrustedProject[] {
  const path = trustedPath(stateDir)
  if (!existsSync(path) || ![stateDir, path].every(isTrusted)) return []
  try {
    const { format, projects } = JSON.parse(readQuietly(path, MAX_BYTES) ?? '')
    return format === 1 && Array.isArray(projects) ? projects.filter(isProject) : []
  } catch {
    return []
  }
}

export function isTrustedProject(
  { root, owner, hash }: Omit<TrustedProject, 'at'>,
  trusted: readonly TrustedProject[],
): boolean {
  return trusted.some((one) => one.root === root && one.owner === owner && one.hash === hash)
}

/** @throws the system error */
export function trustProject(stateDir: string, project: TrustedProject): void {
  write(stateDir, [...without(stateDir, project.root), project])
}

/** @returns whether it was there @throws the system error */
export function forgetProject(stateDir: string, root: string): boolean {
  const kept = without(stateDir, root)
  const wasThere = kept.length < readTrusted(stateDir).length
  if (wasThere) write(stateDir, kept)
  return wasThere
}

function without(stateDir: string, root: string): TrustedProject[] {
  return readTrusted(stateDir).filter((one) => one.root !== root)
}

function write(stateDir: string, projects: readonly TrustedProject[]) {
  makeFolders(stateDir, 0o700)
  replaceFile(trustedPath(stateDir), `${JSON.stringify({ format: 1, projects })}\n`)
}

function isProject(value: unknown): value is TrustedProject {
  const { root, owner, hash } = Object(value)
  return typeof root === 'string' && typeof owner === 'number' && typeof hash === 'string'
}
