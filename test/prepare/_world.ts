import type { LoadedConfig } from '../../src/config/load/load.ts'
import { completeConfig, configSchema } from '../../src/config/schema/schema.ts'
import type { ProjectRules } from '../../src/context/project-rules.ts'
import { Memory } from '../../src/policy/memory.ts'
import type { PrepareDeps, Stored } from '../../src/prepare/decide.ts'
import { prepare } from '../../src/prepare/prepare.ts'
import { Templates } from '../../src/render/templates.ts'
import { parsePayload } from '../support/payload.ts'

export const at = Date.parse('2026-11-20T09:30:00Z')
export const channels = {
  desk: { type: 'desktop' },
  mail: { type: 'desktop' },
  hook: { type: 'webhook', url: 'https://hooks.test/x' },
  log: { type: 'file', path: '/tmp/log' },
}
export const quietHours = [{ from: '09:00', to: '10:00', timeZone: 'UTC' }]
export const ask = {
  hook_event_name: 'PermissionRequest',
  tool_name: 'Bash',
  tool_input: { command: 'npm publish' },
  tool_use_id: 't1',
}
export const stop = { hook_event_name: 'Stop', last_assistant_message: 'It is done.' }
export const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'Go' }

export interface World {
  folder?: string
  config?: object
  secrets?: string[]
  project?: Partial<ProjectRules>
  memory?: Memory
  seconds?: number
  client?: string
}

export function makeWorld(world: World) {
  const { config = {}, secrets = [], project, memory, seconds = 0, folder = 'shop' } = world
  const routes = [{ on: ['*'], to: ['desk'] }]
  const given = configSchema.parse({ channels, routes, ...config })
  const loaded = { config: completeConfig(given), secrets } as unknown as LoadedConfig
  const rules: ProjectRules = {
    ...{ root: '/srv/shop', trust: 'untrusted', isMuted: () => false, counts: [], ignored: [] },
    ...{ minSeconds: 0, cooldownSeconds: 0, ...project },
  }
  const deps: PrepareDeps = {
    memory: memory ?? new Memory(),
    mutes: () => [],
    host: 'workstation',
    now: () => at + seconds * 1000,
    templates: new Templates('/nonexistent'),
    projectOf: async () => folder,
    branchOf: async () => 'main',
    projectRules: async () => (project ? rules : undefined),
  }
  return { loaded, deps }
}

export function eventOf(payload: object, seconds = 0, client = 'claude') {
  const env = { SSH_TTY: '/dev/pts/1' }
  const told = { client, at: at + seconds * 1000, env }
  return { ...parsePayload({ session_id: 's1', ...payload }, told), id: `e${seconds}` }
}

export async function prepared(payload: object, world: World = {}, stored: Partial<Stored> = {}) {
  const { loaded, deps } = makeWorld(world)
  return prepare(
    eventOf(payload, world.seconds, world.client),
    { shared: false, ...stored },
    loaded,
    deps,
  )
}

export const routeTo = (...to: string[]) => ({ routes: [{ on: ['*'], to }] })
