import { chosen } from '../choices.ts'

/** 2026-01-01 in UTC. A fixed time, so that every start gives the same history. */
export const SEEDED_AT = Date.UTC(2026, 0, 1)

const MINUTE = 60_000

export const users = [
  {
    id: 'user_ada',
    email: 'ada@example.com',
    role: 'owner' as const,
    apiKey: 'fk-emulator-owner-2f6c1d',
  },
  {
    id: 'user_bo',
    email: 'bo@example.com',
    role: 'manager' as const,
    apiKey: 'fk-emulator-manager-84a0e7',
  },
  {
    id: 'user_cleo',
    email: 'cleo@example.com',
    role: 'user' as const,
    apiKey: 'fk-emulator-member-c95b32',
  },
  { id: 'user_dan', email: 'dan@example.com', hasEmailInAnalytics: false },
  { id: 'user_eve', email: 'eve@example.com' },
  { id: 'user_finn', email: 'finn@example.com' },
]

export const invitations = [{ email: 'gia@example.com' }]

export const serviceAccounts = [
  {
    id: 'sa_deploy',
    name: 'deploy',
    keys: [
      { id: 'key_deploy_1', name: 'deploy key', value: 'fk-emulator-service-5d10aa' },
      { id: 'key_deploy_2', name: 'spare key', value: 'fk-emulator-service-77e3b9' },
    ],
  },
]

export const computers = [
  {
    id: 'comp_ada',
    name: 'ada-devbox',
    hostId: '6f1f64a2-6d38-4c43-9a53-0d7a4f7e3b10',
    ownerId: 'user_ada',
    remoteUser: 'ada',
    clonedRepoDirectories: ['/home/ada/shop'],
    relayClientUrl: 'wss://relay.example.com/client/comp_ada',
    relayAgentUrl: 'wss://relay.example.com/agent/comp_ada',
    apiKey: 'fk-emulator-computer-01bb4c',
  },
  {
    id: 'comp_deploy',
    name: 'deploy-runner',
    ownerId: 'sa_deploy',
    providerType: chosen.managedProvider.value,
    computerSource: { kind: 'template' as const, templateId: 'tmpl_node' },
    provisioningSteps: [
      {
        id: 'create-computer',
        name: 'Create computer',
        status: 'completed',
        startedAt: SEEDED_AT,
        completedAt: SEEDED_AT + MINUTE,
      },
    ],
    apiKey: 'fk-emulator-computer-9c22f1',
  },
  { id: 'comp_cleo', name: 'cleo-laptop', ownerId: 'user_cleo' },
  {
    id: 'comp_new',
    name: 'new-box',
    ownerId: 'user_ada',
    status: 'provisioning' as const,
    provisioningSteps: [
      { id: 'create-computer', name: 'Create computer', status: 'pending', startedAt: SEEDED_AT },
    ],
  },
]

export const sessions = [
  {
    id: 'sess_welcome',
    computerId: 'comp_ada',
    title: 'Welcome',
    messages: [
      {
        role: 'user',
        content: [{ type: 'text' as const, text: 'What is this?' }],
        userMessageSource: 'web',
      },
      {
        role: 'assistant',
        content: [{ type: 'text' as const, text: 'A session of the emulator.' }],
        chatCompletionReasoningField: 'reasoning',
        chatCompletionReasoningContent: 'Say it briefly.',
      },
      {
        role: 'user',
        content: [{ type: 'text' as const, text: 'Hook Stop ran' }],
        visibility: 'user_only',
        hookEventName: 'Stop',
        hookStatus: 'completed',
        hookCommands: [{ command: 'hookbell-hook', timeout: 5 }],
        hookResults: [{ exitCode: 0, stdout: '', stderr: '', suppressOutput: false }],
        hookStartTime: SEEDED_AT,
        hookEndTime: SEEDED_AT + 4,
      },
    ],
  },
]

export const agentTools = [
  { name: 'Read', input: { file_path: 'README.md' }, result: '# A project of the emulator' },
]

export const repositories = [
  {
    id: 'repo_shop',
    url: 'https://github.com/example/shop',
    workflows: [{ path: '.github/workflows/test.yml', provider: 'github-actions' }],
  },
  { id: 'repo_site', url: 'https://github.com/example/site' },
]

export const wikiRuns = [{ id: 'wiki_shop' }]

export const wikiPages = [
  { title: 'Overview', path: 'overview.md', text: 'The shop sells things.' },
  { title: 'Payments', path: 'payments.md', text: 'Payments go through a queue.' },
  { title: 'Tests', path: 'tests.md', text: 'Run the tests before every push.' },
]

export const readinessReports = Array.from({ length: 5 }, (_, index) => report(index))

function report(index: number) {
  const { id, url } = repositories[index % repositories.length] ?? { id: '', url: '' }
  return {
    repoId: id,
    reportId: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
    createdAt: SEEDED_AT + index * 60 * MINUTE,
    repoUrl: url,
    apps: { '.': { description: 'The whole repository' } },
    report: {
      lint_config: { numerator: 1, denominator: 1, rationale: 'A linter is configured.' },
      unit_tests: {
        numerator: index % 3,
        denominator: 2,
        rationale: 'Some applications have tests.',
      },
    },
    branch: 'main',
    commitHash: String(index).repeat(40),
    hasLocalChanges: false,
    hasNonRemoteCommits: false,
    modelUsed: { id: 'emulated-model', reasoningEffort: 'low' },
    droidVersion: '0.1.0',
  }
}
