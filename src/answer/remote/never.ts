import { isPayload } from '../../event/payload.ts'

// What nobody may allow from elsewhere. Such a list is never complete: it is for a person who taps in haste. What it does not
// name is still shown in full before it can be allowed. So it refuses too much rather than too little.

/** What may stand before a command: the command before it, and programs that run another one. */
const RUNNERS =
  'then|do|else|time|exec|command|builtin|env|nohup|nice|ionice|setsid|stdbuf|timeout|watch|xargs|busybox|npx|bunx|uvx|dlx'
const START = String.raw`(?:^|[;&|(){}!\n\x60]|\b(?:${RUNNERS})\s+(?:(?:-\S*|[\d.]+\w?)\s+)*)[^\S\n]*(?:\w+=\S*\s+)*`
/** A name that hardly any text has in another meaning, anywhere: `rm` in `/bin/rm`, but not in `farm`, `rm-old` or `--rm`. */
const word = (names: string) => new RegExp(String.raw`(?<![\w-])(?:${names})(?![\w-])`, 'i')
/** A name that is also an ordinary word: only where a command begins. */
const first = (names: string) =>
  new RegExp(String.raw`${START}(?:[^\s;&|(){}]*/)?(?:${names})(?![\w.-])`, 'i')
/** A command of git, whatever options stand before it. */
const git = (commands: string) =>
  new RegExp(String.raw`\bgit(?:\s+-{1,2}[\w-]+(?:[= ]\S+)?)*\s+(?:${commands})`, 'is')

const SHELL = '(?:(?:ba|z|da|k|c|tc|fi|a|mk|r)?sh|elvish|nu)'
const OTHERS = String.raw`(?:python[\d.]*|node|nodejs|deno|bun|tsx|perl|ruby|php|lua|osascript)`
const POWERSHELL = '(?:pwsh|powershell|cmd)(?:\\.exe)?'
const OPTIONS = String.raw`(?:\s+-{1,2}\S*)*`

const TOUCHES = 'it touches keys, settings or hooks'

/** By what a person is told. */
const patterns: readonly (readonly [string, readonly RegExp[]])[] = [
  [
    'it takes more rights',
    [
      word('sudo|sudo-rs|sudoedit|run0|gosu|doas|pkexec|runas|gsudo|visudo|setcap|chroot|nsenter'),
      first('su'),
      /dangerously|no-sandbox|--yolo|bypass[-_]?(?:permissions|approvals)/i,
    ],
  ],
  [
    'it pushes by force, or deletes what was pushed',
    [
      /\bpush\b.*(?:\s-[a-z]*[fd]|\s--(?:force|mirror|delete|prune|del|for)|\s\+|\s:|\s\S*\*)/is,
      /\balias\.\S+|core\.(?:hookspath|sshcommand|fsmonitor|editor|pager)/i,
    ],
  ],
  [
    'it deletes or overwrites',
    [
      word('rm|rmdir|unlink|shred|srm|rimraf|del-cli|trash-put|wipefs|fdisk|parted|diskutil'),
      word('remove-item|clear-content|prune|mkfs(?:[.]\\w+)?'),
      first('trash|truncate|dd|del|erase|rd|format'),
      /\s-{1,2}delete\b/i,
      git('clean|reset\\b.*--hard|filter-branch|filter-repo|update-ref|reflog|gc|prune'),
      git('stash\\s+(?:drop|clear)|branch\\b.*\\s-\\w*d|checkout\\b.*\\s(?:-f|--)(?:\\s|$)'),
      /\b(?:rmtree|removedirs|rmsync|unlinksync)\b|\bfs\.rm\b/i,
      /\b(?:drop|truncate|alter)\s+(?:table|database|schema|user|role|index|view)\b/i,
      /\bdelete\s+from\b|\bflush(?:all|db)\b|dropdatabase/i,
      />\s*\/dev\/(?!null\b|stdout\b|stderr\b|tty\b)/i,
    ],
  ],
  [
    'it publishes, releases or deploys',
    [
      /(?<![a-z])(?:publish|unpublish|deploy|yank|goreleaser)/i,
      // `cargo build --release` and `target/release/` are how many things are built.
      /(?<![a-z_]|\s--|target\/)release(?![a-z])/i,
      /\b(?:twine|gem|docker|podman|buildah|skopeo|nerdctl|helm|dotnet|nuget|conan)\b.*\b(?:push|upload|copy)\b/is,
      /\b(?:npm|pnpm|yarn|bun|cargo|gem)\b.*\b(?:dist-tag|owner|access|token|login|adduser)\b/is,
      first('np|vsce|ovsx|wrangler|vercel|netlify|flyctl|heroku|serverless|terraform|tofu|pulumi'),
      first('kubectl|helm|ansible-playbook|aws|gcloud|az'),
    ],
  ],
  [
    'it runs what was fetched, decoded or made up',
    [
      // curl … | sh, … | sudo -E bash, base64 -d <<< … | tee >(sh)
      new RegExp(
        String.raw`[|<>]\s*[&(]?\s*(?:(?:\S*/)?(?:${RUNNERS})\s+|\w+=\S*\s+|-\S+\s+)*(?:\S*/)?(?:${SHELL}|${OTHERS}|${POWERSHELL})(?![\w./-])`,
        'i',
      ),
      // bash -c …, python3 -c …, node -e …, perl -pe …, bash <(…)
      new RegExp(String.raw`(?<![\w-])${SHELL}${OPTIONS}(?:\s+-\w*c\b|\s*<)`, 'i'),
      new RegExp(
        String.raw`(?<![\w-])${OTHERS}${OPTIONS}(?:\s+(?:-\w*[cepr]\b|--?(?:eval|print|require|import)\b)|\s*<)`,
        'i',
      ),
      new RegExp(String.raw`(?<![\w-])${POWERSHELL}${OPTIONS}\s+[-/](?:c|e|k)`, 'i'),
      new RegExp(String.raw`(?<![\w-])(?:curl|wget)(?![\w-]).*(?<![\w.-])${SHELL}(?![\w-])`, 'is'),
      /\b(?:curl|wget)\b.*\bchmod\b/is,
      word('eval|iex|invoke-expression|invoke-webrequest|uudecode'),
      /\bbase(?:64|32|nc)\b.*\s(?:-\w*d|--d)/is,
      first('source|alias|trap|bind|enable|hash'),
      new RegExp(String.raw`${START}\.\s`, 'i'),
    ],
  ],
  [
    'its words cannot be read as they are run',
    [
      // A variable, a pattern or a substitution in the place of the program.
      new RegExp(
        String.raw`${START}(?!\w+=)(?:[^\s;&|(){}]*[$\x60*?]|[^\s;&|(){}]*\[(?![\s[]))`,
        'i',
      ),
      new RegExp(String.raw`${START}[^\s;&|(){}]*\{[^\s}]*,`, 'i'),
      /\bxargs\s+(?:-\S*\s+)*\{/i,
      /\$'|\\x[\da-f]|\\u[\da-f]|\\[0-7]{3}/i,
      /(?<![\w-])printf\b.*\|/is,
      first('rev'),
      /(?<!\w)(?:path|ifs|ld_\w+|dyld_\w+|bash_env|prompt_command|node_options)=/i,
    ],
  ],
  [
    'it stops or schedules programs',
    [
      word('killall|pkill|crontab|systemctl|launchctl|schtasks'),
      first('shutdown|reboot|halt|poweroff|at|batch'),
    ],
  ],
  [
    TOUCHES,
    [
      /(?<![\w)\]])\.(?:ssh|gnupg|aws|azure|kube|netrc|npmrc|pypirc|pgpass|env|envrc|gitconfig|bash\w*|zsh\w*|profile|claude|codex|qwen|gemini|cursor|hookbell)(?![\w-])/i,
      /(?<![\w)\]])\.(?:git\/(?:hooks|config)|docker\/|config\/|local\/)/i,
      /authorized_keys|id_(?:rsa|ed25519|ecdsa)|launchagents|launchdaemons|\/etc\/|c:\\windows/i,
      word('secret-tool|ssh-add|ssh-keygen'),
      first('hookbell|security|gpg|pass'),
    ],
  ],
]

/** Characters that look like what they are not, or hide a part of a text. Line ends, tabs and single spaces are visible. */
const HIDDEN =
  /[^\P{C}\n\t]|[^\P{Z} ]|\p{DI}|\u2800|\u3164|[a-z][\p{sc=Cyrillic}\p{sc=Greek}]|[\p{sc=Cyrillic}\p{sc=Greek}][a-z]| {24}|(?:\s*\n){6}|\t{6}/iu

/** Whether a person who reads a text may not see what is in it. */
export function hidesSomething(text: string): boolean {
  return HIDDEN.test(text)
}

/**
 * Why a tool call must not be allowed from elsewhere.
 * @param own the person's own list: each entry refuses what has all of its words, in this order
 * @returns undefined if it may be
 */
export function whyNever(
  { tool, input }: { tool: string; input: unknown },
  own: readonly string[] = [],
): string | undefined {
  const texts = textsIn(input)
  const readings = [...new Set([texts.join('\n'), ...texts].flatMap(readingsOf))]
  const isEdit = isPayload(input) && 'file_path' in input && !('command' in input)
  for (const [why, tests] of patterns) {
    // What is written into a file is not run, and much of it looks like commands.
    if (isEdit && why !== TOUCHES) continue
    if (readings.some((text) => tests.some((test) => test.test(text)))) return why
  }
  const listed = own.find((one) => [tool, ...readings].some((text) => patternOf(one).test(text)))
  return listed === undefined ? undefined : `your list has "${listed}"`
}

/** The text as it is, and as a shell reads it: without quotes, escapes, and variables that are empty or a space. */
function readingsOf(text: string): string[] {
  const joined = text.replace(/\\\r?\n/g, '')
  const spaced = joined.replace(/\$\{?IFS\}?(?:\$\d)?/gi, ' ')
  const bare = spaced
    .replace(/\$\{\w*\}|\$[@*\d]|\$\(\s*\)|\x60\s*\x60/g, '')
    .replace(/["'\\^]/g, '')
  const braced = bare.replace(/[{},]/g, ' ')
  return [text, joined, bare, braced, bare.replace(/[^\S\n]+/g, ' ')]
}

/** All texts in a value, names included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) {
    const words = value.every((one) => typeof one === 'string') ? [value.join(' ')] : []
    return [...words, ...value.flatMap(textsIn)]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)])
}

function patternOf(own: string): RegExp {
  const words = own
    .trim()
    .split(/[\s*]+/)
    .filter(Boolean)
  const escaped = words.map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(escaped.join('[^]*?') || '(?!)', 'i')
}
