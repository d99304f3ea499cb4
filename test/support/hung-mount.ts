import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa, execaSync } from 'execa'
import { onTestFinished } from 'vitest'

/** Whether `makeHungMount` works here. */
export const canHang = process.getuid?.() === 0 && existsSync('/dev/fuse') && canMountFuse()

/**
 * Mounts a file system whose server never answers, so that each access to it hangs.
 * @param seconds after which the accesses fail, for a test whose own process may hang
 */
export async function makeHungMount(seconds = 600): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-hung-'))
  const script = `exec 3<>/dev/fuse
    mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 hung "$1" || exit 1
    echo mounted; exec sleep "$2"`
  const server = execa('sh', ['-c', script, 'sh', folder, String(seconds)], { reject: false })
  onTestFinished(async () => {
    // Closes the connection to the kernel, so that all pending accesses fail.
    server.kill('SIGKILL')
    await server
    execaSync('umount', ['-l', folder], { reject: false })
    rmSync(folder, { recursive: true, force: true })
  })
  await once(server.stdout, 'data')
  return folder
}

function canMountFuse(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-hung-'))
  const script = `exec 3<>/dev/fuse
    mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 hung "$1" && umount -l "$1"`
  const { exitCode } = execaSync('sh', ['-c', script, 'sh', folder], {
    reject: false,
    timeout: 600_000,
  })
  rmSync(folder, { recursive: true, force: true })
  return exitCode === 0
}
