import { isTrustedProject, readTrusted, type TrustedProject } from '../config/trusted-projects.ts'
import { homeDir } from '../fs/home.ts'
import { readProjectFile } from './project-file.ts'

export type TrustState = 'trusted' | 'changed' | 'gone'

/** What has become of a project since a person trusted it. */
export async function trustOf(project: TrustedProject): Promise<TrustState> {
  const file = await readProjectFile(project.root, homeDir())
  if (!file || file.root !== project.root) return 'gone'
  if ('refused' in file) return 'changed'
  return isTrustedProject(file, [project]) ? 'trusted' : 'changed'
}

/** The real paths of projects whose file is no longer the one that was trusted. */
export async function changedProjects(stateDir: string): Promise<string[]> {
  const states = await Promise.all(
    readTrusted(stateDir).map(async (one) => ({ root: one.root, state: await trustOf(one) })),
  )
  return states.filter(({ state }) => state === 'changed').map(({ root }) => root)
}
