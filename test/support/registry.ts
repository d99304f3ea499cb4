import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { execa } from 'execa'
import { root } from './home.ts'
import { type Packed, packPackage } from './packed.ts'

type Archive = Pick<Packed, 'name' | 'version' | 'integrity' | 'tarball'>

/**
 * Starts a registry on loopback with this package, as `npm publish` would send it, and its dependencies from
 * node_modules. npm and npx install from it without a network.
 */
export async function startRegistry(folder: string) {
  const needed = runtimePackages()
  const own = await packPackage()
  const others = await Promise.all(needed.map((path) => packAgain(path, folder)))
  const packed: Archive[] = [own, ...others]
  const manifests = ['', ...needed].map(readManifest)

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const archive = packed.find(({ tarball }) => basename(tarball) === path)
    if (archive) return void response.end(readFileSync(archive.tarball))
    const at = packed.findIndex(({ name }) => name === path)
    const base = `http://${request.headers.host}`
    const found = packed[at]
    response.statusCode = found ? 200 : 404
    response.end(found ? JSON.stringify(describePackage(found, manifests[at], base)) : '{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    tarball: own.tarball,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function runtimePackages(): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const entries = Object.entries<{ dev?: boolean }>(lock.packages)
  return entries.filter(([path, { dev }]) => path !== '' && !dev).map(([path]) => path)
}

/**
 * Packs an installed package. `npm pack` would first select files, which takes long and is not needed: all installed
 * files were published. When npm installs the archive, it ignores the name of the top folder.
 */
async function packAgain(path: string, folder: string): Promise<Archive> {
  const { name, version } = readManifest(path)
  const tarball = join(folder, `${name.replace(/\W/g, '-')}-${version}.tgz`)
  await execa('tar', ['-czf', tarball, basename(path)], { cwd: join(root, dirname(path)) })
  const hash = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  return { name, version, tarball, integrity: `sha512-${hash}` }
}

function readManifest(path: string) {
  return JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
}

function describePackage(
  { name, version, tarball, integrity }: Archive,
  manifest: object,
  base: string,
) {
  const dist = { tarball: `${base}/${basename(tarball)}`, integrity }
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
}
