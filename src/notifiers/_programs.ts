/**
 * The PATH in which programs are looked up. Not our own: that of a worker has fewer folders, and a command such as
 * `hookbell test` may run in an agent, where a repository can put one of its own folders first.
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
