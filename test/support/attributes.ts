import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SCRIPT = `
import json, os, sys
path, given = sys.argv[1], json.loads(sys.argv[2])
for name, value in given.items(): os.setxattr(path, name, value.encode())
print(json.dumps({name: os.getxattr(path, name).decode() for name in os.listxattr(path)}))`

/** Sets the given extended attributes. @returns all attributes of the file; undefined if they are not supported here */
export function attributes(path: string, given: Record<string, string> = {}) {
  const words = ['-S', '-c', SCRIPT, path, JSON.stringify(given)]
  const { status, stdout } = spawnSync('python3', words, {
    env: { PATH: '/usr/bin:/usr/local/bin' },
  })
  return status === 0 ? (JSON.parse(String(stdout)) as Record<string, string>) : undefined
}

/** Whether the file system of temporary files supports extended attributes. */
export const hasAttributes = process.platform === 'linux' && canSetAttributes()

function canSetAttributes(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-attributes-'))
  try {
    return attributes(folder, { 'user.x': 'y' }) !== undefined
  } finally {
    rmSync(folder, { recursive: true })
  }
}
