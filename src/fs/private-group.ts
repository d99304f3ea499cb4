import { readFileSync } from 'node:fs'

/**
 * Whether a group has no member but this user. Systems with one group per user make files group-writable, which is
 * safe then (ssh of Debian and Ubuntu accepts that, too). In doubt the group is not private.
 */
export function isPrivateGroup(gid: number, me: number): boolean {
  if (me === 0 || gid !== me || gid !== process.getgid?.()) return false
  try {
    return isGroupOfOne(readFileSync('/etc/passwd', 'utf8'), readFileSync('/etc/group', 'utf8'), me)
  } catch {
    return false
  }
}

/** Whether the user and the group with this number have no other names, and the group no other members. */
export function isGroupOfOne(passwd: string, group: string, id: number): boolean {
  const users = rowsOf(passwd).filter((row) => row[2] === `${id}` || row[3] === `${id}`)
  const [own, ...more] = rowsOf(group).filter((row) => row[2] === `${id}`)
  const [user] = users
  const members = (own?.[3] ?? '').split(',').filter((name) => name !== '')
  const isAlone = users.length === 1 && own !== undefined && more.length === 0
  return isAlone && members.every((name) => name === user?.[0])
}

function rowsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.split(':'))
}
