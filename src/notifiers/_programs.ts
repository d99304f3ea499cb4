/**
 * Where programs are looked for. Not in our own PATH: the worker was started from an agent's hook,
 * and a repository can put a folder of its own first.
 */
export const SYSTEM_PATH = [
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  '/opt/homebrew/bin',
  '/opt/local/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/run/current-system/sw/bin',
  '/snap/bin',
].join(':')
