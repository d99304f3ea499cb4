import { existsSync, readFileSync } from 'node:fs'
import { isGroupOfOne } from '../../src/fs/ownership.ts'

const accounts = ['/etc/passwd', '/etc/group'].map(read) as [string, string]

function read(path: string): string {
  // Windows has no such files.
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** The user id of an account of this machine whose group has no other member, such as `daemon`. */
export const userAlone = accounts[0]
  .split('\n')
  .map((line) => line.split(':').map(Number))
  .find(([, , uid, gid]) => uid && uid === gid && isGroupOfOne(...accounts, uid))?.[2]
