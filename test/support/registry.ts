import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { execa } from 'execa'
import { root } from './home.ts'

interface Packed {
  name: string
  version: string
  filename: string
  integrity: string
}

/**
 * Starts a registry on loopback with this package, as `npm publish` would send it, and its dependencies from
 * node_modules. npm and npx install from it without a network.
 */
export async function startRegistry(folder: string) {
  const needed = runtimePackages()
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await execa('npm', words, { cwd: root })
  const [own]: Packed[] = JSON.parse(stdout)
  const packed = [own, ...(await Promise.all(needed.map((path) => packAgain(path, folder))))]
  const manifests = ['', ...needed].map(readManifest)

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    if (packed.some((one) => one?.filename === path)) {
      response.end(readFileSync(join(folder, path)))
      return
    }
    const at = packed.findIndex((one) => one?.name === path)
    const base = `http://${request.headers.host}`
    response.statusCode = at < 0 ? 404 : 200
    response.end(at < 0 ? '{}' : JSON.stringify(describePackage(packed[at], manifests[at], base)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    tarball: join(folder, own?.filename ?? ''),
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
async function packAgain(path: string, folder: string): Promise<Packed> {
  const { name, version } = readManifest(path)
  const filename = `${name.replace(/\W/g, '-')}-${version}.tgz`
  const file = join(folder, filename)
  await execa('tar', ['-czf', file, basename(path)], { cwd: join(root, dirname(path)) })
  const hash = createHash('sha512').update(readFileSync(file)).digest('base64')
  return { name, version, filename, integrity: `sha512-${hash}` }
}

function readManifest(path: string) {
  return JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
}

function describePackage(packed: Packed | undefined, manifest: object, base: string) {
  const { name = '', version = '', filename, integrity } = packed ?? {}
  const dist = { tarball: `${base}/${filename}`, integrity }
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
}
