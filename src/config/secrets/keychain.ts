import { join } from 'node:path'
import { HookbellError } from '../../errors.ts'
import { type Printed, runPrivately } from './run-private.ts'

/** The desktop may ask a person to unlock the keychain. */
const TIMEOUT_MS = 30_000
const SERVICE = 'hookbell'

interface Call {
  argv: readonly string[]
  /** Written to stdin. A secret is passed only here, because other users can read arguments. */
  input?: string
}

/** The platform's own tool, asked to read, write or remove one secret. */
interface Tool {
  read(name: string): Call
  write(name: string, value: string): Call
  remove(name: string): Call
}

const attributes = (name: string) => ['service', SERVICE, 'name', name]

const libsecret: Tool = {
  read: (name) => ({ argv: ['secret-tool', 'lookup', ...attributes(name)] }),
  write: (name, value) => ({
    argv: ['secret-tool', 'store', `--label=${SERVICE} ${name}`, ...attributes(name)],
    input: value,
  }),
  remove: (name) => ({ argv: ['secret-tool', 'clear', ...attributes(name)] }),
}

const security = '/usr/bin/security'

const macos: Tool = {
  read: (name) => ({
    argv: [security, 'find-generic-password', '-s', SERVICE, '-a', name, '-w'],
  }),
  // `security -i` reads commands from stdin. The value is in hex, because `security` has its own quoting rules.
  write: (name, value) => ({
    argv: [security, '-i'],
    input: `add-generic-password -U -s ${SERVICE} -a ${name} -X ${Buffer.from(value).toString('hex')}\n`,
  }),
  remove: (name) => ({ argv: [security, 'delete-generic-password', '-s', SERVICE, '-a', name] }),
}

const VAULT =
  '$v=[Windows.Security.Credentials.PasswordVault,Windows.Security.Credentials,ContentType=WindowsRuntime]::new();'

const windows: Tool = {
  read: (name) =>
    powershell(`${VAULT}[Console]::Out.Write($v.Retrieve('hookbell','${name}').Password)`),
  write: (name, value) => ({
    ...powershell(
      `${VAULT}$v.Add([Windows.Security.Credentials.PasswordCredential,Windows.Security.Credentials,ContentType=WindowsRuntime]::new('hookbell','${name}',[Console]::In.ReadToEnd()))`,
    ),
    input: value,
  }),
  remove: (name) => powershell(`${VAULT}$v.Remove($v.Retrieve('hookbell','${name}'))`),
}

/** Safe, because only a secret's name gets into the script, and it has only letters, digits and "_". */
function powershell(script: string): Call {
  const root = process.env.SystemRoot ?? 'C:\\Windows'
  const program = join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe')
  return { argv: [program, '-NoProfile', '-NonInteractive', '-Command', script] }
}

function toolOf(platform: NodeJS.Platform): Tool {
  if (platform === 'darwin') return macos
  return platform === 'win32' ? windows : libsecret
}

export function keychainCall(
  action: keyof Tool,
  name: string,
  value = '',
  platform = process.platform,
): Call {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new TypeError('not the name of a secret')
  return toolOf(platform)[action](name, value)
}

export function readKeychain(name: string, stateDir: string): Promise<Printed> {
  return run(keychainCall('read', name), stateDir)
}

/** @throws HookbellError E_UNAVAILABLE where this machine has no keychain, or it is locked */
export async function writeKeychain(name: string, value: string, stateDir: string): Promise<void> {
  await must(keychainCall('write', name, value), `${name} was not stored`, stateDir)
  const back = await readKeychain(name, stateDir)
  // Read back, because `security -i` exits with 0 even if its command failed.
  if (!('text' in back) || withoutEnd(back.text) !== value) throw failed(`${name} was not stored`)
}

/** @throws HookbellError E_UNAVAILABLE where it is not there */
export async function removeKeychain(name: string, stateDir: string): Promise<void> {
  await must(keychainCall('remove', name), `${name} was not removed`, stateDir)
}

async function must(call: Call, what: string, stateDir: string) {
  const done = await run(call, stateDir)
  if ('failure' in done) throw failed(`${what}: ${call.argv[0]} ${done.failure}`)
}

function failed(message: string): HookbellError {
  const hint = 'Is it unlocked? Without a keychain: hookbell secrets set NAME, which writes a file'
  return new HookbellError('E_UNAVAILABLE', `keychain: ${message}`, { hint })
}

function run({ argv, input = '' }: Call, stateDir: string): Promise<Printed> {
  return runPrivately(argv, { stateDir, timeoutMs: TIMEOUT_MS, input })
}

function withoutEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}
