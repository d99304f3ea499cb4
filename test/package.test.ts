import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { makeFolder } from './support/folder.ts'
import { root } from './support/home.ts'
import { packPackage } from './support/packed.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

describe('package', () => {
  it('contains only files for users', async () => {
    const paths = (await packPackage()).files.map(({ path }) => path)
    const unexpected = paths.filter(
      (path) =>
        !/^(bin|dist|docs|examples|icons|templates)\//.test(path) &&
        !/^(package\.json|README\.md|LICENSE|CHANGELOG\.md|hooks\.example\.json|config\.schema\.json|openapi\.json)$/.test(
          path,
        ),
    )
    expect(unexpected).toEqual([])
    const ofHub = ['Containerfile', 'compose.yaml', 'hookbell-hub.service', 'redis.conf']
    // Whoever sets up a hub has the package and no clone.
    expect(paths).toEqual(expect.arrayContaining(ofHub.map((name) => `examples/hub/${name}`)))
  })

  it('can be published without corrections by npm', async () => {
    const words = ['publish', '--dry-run', '--ignore-scripts']
    const env = { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' }
    const { stderr } = await execa('npm', words, { cwd: root, env, reject: false })
    const warnings = stderr.split('\n').filter((line) => line.startsWith('npm warn publish'))
    expect(warnings.filter((line) => !line.includes('logged in'))).toEqual([])
  })

  it('gets the repository URLs from the release workflow', async () => {
    const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')
    const [, line = ''] = /run: (npm pkg set .*)/.exec(workflow) ?? []
    const cwd = await makeFolder()
    cpSync(join(root, 'package.json'), join(cwd, 'package.json'))
    const env = { GITHUB_SERVER_URL: 'https://example.com', GITHUB_REPOSITORY: 'me/hookbell' }
    await execa('sh', ['-c', line], { cwd, env })
    const { repository, homepage, bugs } = JSON.parse(
      readFileSync(join(cwd, 'package.json'), 'utf8'),
    )
    expect({ repository, homepage, bugs }).toEqual({
      repository: { type: 'git', url: 'git+https://example.com/me/hookbell.git' },
      homepage: 'https://example.com/me/hookbell#readme',
      bugs: { url: 'https://example.com/me/hookbell/issues' },
    })
  })

  it('runs no install script', () => {
    const names = Object.keys(manifest.scripts)
    expect(names.filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([])
    expect(runtimeClosure().filter(([, entry]) => entry.hasInstallScript)).toEqual([])
  })

  it('has at most 20 runtime packages', () => {
    expect(runtimeClosure().length).toBeLessThanOrEqual(20)
  })

  it('contains the licence of every bundled package', () => {
    const text = readFileSync(join(root, 'dist/LICENCES.txt'), 'utf8')
    const bundled = ['citty', 'execa', 'liquidjs', 'nodemailer', 'zod']
    for (const name of bundled)
      expect(text).toMatch(new RegExp(`^${name} [\\d.]+: .+\\n\\n\\S`, 'm'))
  })

  it('has a lock file without registry URLs', () => {
    expect(JSON.stringify(lock)).not.toMatch(/"resolved"/)
  })
})

function runtimeClosure(): [string, { dev?: boolean; hasInstallScript?: boolean }][] {
  const entries = Object.entries<{ dev?: boolean; optional?: boolean }>(lock.packages)
  return entries.filter(([path, { dev }]) => path !== '' && !dev)
}
