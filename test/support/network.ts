import { spawnSync } from 'node:child_process'
import { onTestFinished } from 'vitest'

const ip = (...words: string[]) => spawnSync('ip', words, { encoding: 'utf8' })

/** Whether network namespaces can be made on this machine. */
export const hasNamespaces = canMakeNamespace()

function canMakeNamespace(): boolean {
  const name = `hookbell-probe-${process.pid}`
  if (process.getuid?.() !== 0 || ip('netns', 'add', name).status !== 0) return false
  const made = ip(
    'link',
    'add',
    `hbp${process.pid}`,
    'type',
    'veth',
    'peer',
    'name',
    'x',
    'netns',
    name,
  )
  return ip('netns', 'del', name).status === 0 && made.status === 0
}

let count = 0

/** Makes a network namespace that one virtual cable connects to this machine. Removed at the end of the test. */
export function makeNetwork() {
  const number = count++ % 64
  const [name, cable] = [`hookbell-${process.pid}-${number}`, `hb${process.pid}-${number}`]
  const subnet = `10.${64 + (process.pid % 128)}.${(process.pid >> 7) % 256}`
  const [here, there] = [`${subnet}.${4 * number + 1}`, `${subnet}.${4 * number + 2}`]
  run('netns', 'add', name)
  onTestFinished(() => void ip('netns', 'del', name))
  run('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'hub', 'netns', name)
  run('addr', 'add', `${here}/30`, 'dev', cable)
  run('link', 'set', cable, 'up')
  run('-n', name, 'addr', 'add', `${there}/30`, 'dev', 'hub')
  run('-n', name, 'link', 'set', 'lo', 'up')
  run('-n', name, 'link', 'set', 'hub', 'up')
  return {
    /** The address of this machine in that network. */
    here,
    /** The words before a command line that run it in the namespace. */
    prefix: ['ip', 'netns', 'exec', name] as const,
    /** Adds an address to the network from which no packet is answered. */
    addSilent: () => {
      const silent = `${subnet.replace(/^10/, '11')}.${4 * number + 1}`
      run('-n', name, 'route', 'add', `${silent}/32`, 'dev', 'hub')
      const nobody = ['lladdr', '02:00:00:00:00:01', 'dev', 'hub', 'nud', 'permanent']
      run('-n', name, 'neigh', 'add', silent, ...nobody)
      return silent
    },
    /** Drops all packets without an error until `restore`. */
    cut: () => run('link', 'set', cable, 'down'),
    restore: () => run('link', 'set', cable, 'up'),
  }
}

function run(...words: string[]) {
  const { status, stderr } = ip(...words)
  if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`)
}
