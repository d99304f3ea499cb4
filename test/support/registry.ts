import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { root } from './home.ts'

interface Packed {
  name: string
  version: string
  filename: string
  integrity: string
  shasum: string
}

/**
 * Starts a registry on loopback that has this package, as `npm publish` would send it, and the packages that it needs,
 * packed from node_modules. npm and npx install from it without a network.
 */
export async function startRegistry(folder: string) {
  const needed = runtimePackages()
  const places = ['.', ...needed.map((path) => `./${path}`)]
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder, ...places]
  const { stdout } = await execa('npm', words, { cwd: root })
  const packed: Packed[] = JSON.parse(stdout)
  const manifests = ['', ...needed].map((path) =>
    JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')),
  )

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    if (packed.some(({ filename }) => filename === path)) {
      response.end(readFileSync(join(folder, path)))
      return
    }
    const at = packed.findIndex(({ name }) => name === path)
    const base = `http://${request.headers.host}`
    response.statusCode = at < 0 ? 404 : 200
    response.end(at < 0 ? '{}' : JSON.stringify(describePackage(packed[at], manifests[at], base)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    tarball: join(folder, packed[0]?.filename ?? ''),
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

function describePackage(packed: Packed | undefined, manifest: object, base: string) {
  const { name = '', version = '', filename, integrity, shasum } = packed ?? {}
  const dist = { tarball: `${base}/${filename}`, integrity, shasum }
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
}
