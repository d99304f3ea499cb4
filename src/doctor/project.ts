import { projectRules } from '../context/project-rules.ts'
import { homeDir } from '../fs/home.ts'
import { type Check, check, type Facts } from './check.ts'

/** Checks the .hookbell.json of the current project, if there is one. */
export async function checkProject({ cwd, env, stateDir }: Facts): Promise<Check[]> {
  const rules = await projectRules(cwd, { home: homeDir(env), stateDir })
  if (!rules) return []
  const { trust, counts, ignored } = rules
  const seen = `${trust}: ${counts.join(', ') || 'nothing'} counts`
  if (ignored.length === 0 && trust !== 'changed') return [check('project', 'ok', seen)]
  const rest = ignored.length > 0 ? `; ignored: ${ignored.join(', ')}` : ''
  return [check('project', 'warning', seen + rest, 'Look at .hookbell.json, then: hookbell trust')]
}
