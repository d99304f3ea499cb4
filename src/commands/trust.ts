import { resolve } from 'node:path'
import { defineCommand } from 'citty'
import { printJson, say, table } from '../cli/output.ts'
import { shellEnvironment } from '../clients/shell-environment.ts'
import { stateDir } from '../config/paths.ts'
import { PROJECT_FILE, parseProject } from '../config/project-config.ts'
import { forgetProject, readTrusted, trustProject } from '../config/trusted-projects.ts'
import { type ProjectFile, readProjectFile, trustOf } from '../context/project-rules.ts'
import { HookbellError, usageError } from '../errors.ts'
import { homeDir } from '../fs/home.ts'
import { realPath } from '../fs/links.ts'
import { showPath } from '../text/clean.ts'
import { stateFolders } from './_events.ts'

export const trustCommand = defineCommand({
  args: {
    dir: {
      type: 'positional',
      required: false,
      description: 'A folder in the project. Default: the current one',
    },
    list: { type: 'boolean', description: 'List trusted files, and which have changed since' },
    remove: { type: 'boolean', description: 'Remove the trust' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { dir = '.', list = false, remove = false, json = false } }) {
    if (list && remove) throw usageError('trust: --list or --remove, not both')
    if (list) return await showList(json)
    refuseInSession()
    if (remove) return await forget(resolve(dir), json)
    return await trust(resolve(dir), json)
  },
})

/** Refuses in an agent's session: an agent may follow instructions in the text of a repository. */
function refuseInSession() {
  if (shellEnvironment(process.env) === process.env) return
  throw new HookbellError('E_PERMISSION', 'trust: not in the session of an agent', {
    hint: 'Run it in a shell of your own',
  })
}

async function trust(dir: string, json: boolean) {
  const { root, owner, hash, text } = await readFile(dir)
  const says = parseProject(text)
  for (const folder of stateFolders()) trustProject(folder, { root, owner, hash, at: Date.now() })
  if (json) return printJson({ root, hash, says })
  const rows = Object.entries(says).map(([key, value]) => [
    `  ${key}`,
    showPath(JSON.stringify(value)),
  ])
  say(`Trusted until it changes: ${showPath(root)}/${PROJECT_FILE}\n${table(rows)}`)
}

/** @throws HookbellError E_CONFIG if the project has none, or one that cannot be read */
async function readFile(dir: string): Promise<ProjectFile> {
  const file = await readProjectFile(dir, homeDir())
  if (file && !('refused' in file)) return file
  const message = file
    ? `${showPath(file.root)}/${PROJECT_FILE}: ${file.refused}`
    : `no ${PROJECT_FILE} in the project around ${showPath(dir)}`
  throw new HookbellError('E_CONFIG', message)
}

async function forget(dir: string, json: boolean) {
  const root = (await readProjectFile(dir, homeDir()))?.root ?? realPath(dir)
  // A project that was deleted is found by its path in the list.
  const known = stateFolders().map(
    (folder) => forgetProject(folder, root) || forgetProject(folder, dir),
  )
  if (!known.includes(true)) {
    throw usageError(`trust: ${showPath(root)} was not trusted`, 'See: hookbell trust --list')
  }
  if (json) printJson({ root })
  else say(`No longer trusted: ${showPath(root)}`)
}

async function showList(json: boolean) {
  const rows = await Promise.all(
    readTrusted(stateDir()).map(async (one) => ({ root: one.root, state: await trustOf(one) })),
  )
  if (json) return printJson(rows)
  if (rows.length === 0) return say('No project is trusted')
  say(table(rows.map(({ root, state }) => [state, showPath(root)])))
}
