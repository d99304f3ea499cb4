import { describe, expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/hub/connection.ts'
import { aclLines, INBOX } from '../../src/hub/keys.ts'
import { makeAuthority } from '../support/authority.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

const users = aclLines.map((line) => line.replace(/>\w+/, '>secret'))
const SET_BOTH = "redis.call('SET', KEYS[1], 'x') redis.call('SET', KEYS[2], 'x') return 1"

function connect(url: string, password?: string, ca?: string) {
  const connection = new RedisConnection({
    ...{ url, allowUnencrypted: false },
    ...(password !== undefined && { password }),
    ...(ca !== undefined && { ca }),
  })
  onTestFinished(() => connection.close())
  return (...words: string[]) => connection.call(...words)
}

type Call = ReturnType<typeof connect>

/** Every command of this server, with subcommands such as `config|get`. */
async function commandsOf(ask: Call): Promise<string[]> {
  const categories = (await ask('ACL', 'CAT')) as string[]
  const lists = await Promise.all(categories.map((one) => ask('ACL', 'CAT', one)))
  const all = [...new Set(lists.flat().map(String))].sort()
  // Leaves out commands such as CONFIG, which cannot be called without a subcommand.
  const isWhole = (name: string) => !all.some((other) => other.startsWith(`${name}|`))
  return all.filter((name) => isWhole(name) || name === 'command')
}

const MAX_WORDS = 8

/** The reply to a command with just enough arguments. Each argument is the name of the list that machines append to. */
async function answerTo(ask: Call, command: string): Promise<string> {
  const rest: string[] = []
  for (;;) {
    const answer = await ask(...command.split('|'), ...rest).then(String, (error: Error) => error)
    if (!(answer instanceof Error)) return 'allowed'
    const isTooShort = /wrong number of arguments/.test(answer.message)
    if (!isTooShort || rest.length === MAX_WORDS)
      return /NOPERM/.exec(answer.message)?.[0] ?? answer.message
    rest.push(INBOX)
  }
}

/** Redis allows these to every connection, because they are needed to log in. They give no further rights. */
const FOR_EVERYBODY = ['auth', 'hello', 'quit', 'reset']

describe.skipIf(!hasRedis)('the rights of a machine', () => {
  it('allow a single command of the server, to append to the list', async () => {
    const authority = await makeAuthority()
    onTestFinished(() => authority.remove())
    const admin = 'user admin on >admin ~* &* +@all'
    const redis = await startRedis({
      users: [...users, admin],
      // Otherwise Redis refuses DEBUG and MODULE, whatever the rights are.
      args: ['--enable-debug-command', 'yes', '--enable-module-command', 'yes'],
      tls: await authority.issue('IP:127.0.0.1'),
    })
    const as = (user: string, password: string) =>
      connect(redis.url(user), password, authority.file)
    const [ask, thief] = [as('admin', 'admin'), as('machine', 'secret')]
    await ask('RPUSH', INBOX, 'x')
    const commands = await commandsOf(ask)
    expect(commands.length).toBeGreaterThan(300)
    const answers: Record<string, string> = {}
    for (const command of commands)
      if (!FOR_EVERYBODY.includes(command)) answers[command] = await answerTo(thief, command)
    const open = Object.entries(answers).filter(([, answer]) => answer !== 'NOPERM')
    expect(open).toEqual([['rpush', 'allowed']])
    for (const key of ['hb:taken', 'hb:held', 'hb:in2', 'other'])
      await expect(thief('RPUSH', key, 'x')).rejects.toMatchObject({ code: 'NOPERM' })
    // After these, the connection still may not read the list.
    for (const words of [['RESET'], ['HELLO', '2'], ['AUTH', 'default', '']]) {
      const other = as('machine', 'secret')
      await other(...words).catch(() => {})
      await expect(other('LRANGE', INBOX, '0', '-1')).rejects.toMatchObject({
        code: expect.stringMatching(/^NO(PERM|AUTH)$/),
      })
    }
  })
})

describe.skipIf(!hasRedis)('the Redis users of hookbell hub acl', () => {
  it('keep the writes of scripts when Redis is killed and restarted', async () => {
    const redis = await startRedis({ users })
    await connect(redis.url('hub'), 'secret')('EVAL', SET_BOTH, '2', 'hb:a', 'hb:b')
    await redis.stop('SIGKILL')
    await redis.start()
    expect(await connect(redis.url('hub'), 'secret')('MGET', 'hb:a', 'hb:b')).toEqual(['x', 'x'])
  })

  it('deny access without the right user and password', async () => {
    const redis = await startRedis({ users })
    await expect(connect(redis.url())('PING')).rejects.toMatchObject({ code: 'NOAUTH' })
    for (const password of ['', 'secret', 'nopass'])
      await expect(connect(redis.url(), password)('PING')).rejects.toMatchObject({
        code: 'WRONGPASS',
      })
  })
})
