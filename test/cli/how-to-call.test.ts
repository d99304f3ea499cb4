import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asTyped, howToCall, pathSteps, quoteIfNeeded } from '../../src/cli/how-to-call.ts'
import { makeFolder } from '../support/folder.ts'

async function makePackage(place: string) {
  const home = realpathSync(await makeFolder())
  const root = join(home, place)
  mkdirSync(join(root, 'bin'), { recursive: true })
  writeFileSync(join(root, 'bin/hookbell'), '')
  const bin = join(home, 'bin')
  mkdirSync(bin)
  return {
    home,
    root,
    bin,
    link: () => symlinkSync(join(root, 'bin/hookbell'), join(bin, 'hookbell')),
  }
}

describe('howToCall', () => {
  it.each([
    ['/home/me/hookbell-0.1.0.tgz', 'npx file:/home/me/hookbell-0.1.0.tgz'],
    ['/home/me/my files/h.tgz', "npx 'file:/home/me/my files/h.tgz'"],
    ['./h.tgz', 'npx ./h.tgz'],
    ['hookbell', 'npx hookbell'],
  ])('returns the package specification that npx was called with: %s', async (asked, expected) => {
    const { home, root, bin } = await makePackage('.npm/_npx/ab12/node_modules/hookbell')
    const manifest = { _npx: { packages: [asked] } }
    writeFileSync(join(home, '.npm/_npx/ab12/package.json'), JSON.stringify(manifest))
    expect(howToCall({ root, cwd: home, path: bin })).toBe(expected)
  })

  it('returns the plain name when the PATH leads to this copy', async () => {
    const { home, root, bin, link } = await makePackage('lib/node_modules/hookbell')
    link()
    expect(howToCall({ root, cwd: home, path: `/nowhere:${bin}` })).toBe('hookbell')
    const other = await makePackage('clone')
    expect(howToCall({ root: other.root, cwd: home, path: bin })).toBe(
      `node ${quoteIfNeeded(join(other.root, 'bin/hookbell'))}`,
    )
  })

  it('returns the plain name on Windows, where npm writes a batch file instead of a link', async () => {
    const { home, root } = await makePackage('npm/node_modules/hookbell')
    const prefix = join(home, 'npm')
    const path = `/nowhere;${prefix}`
    writeFileSync(join(prefix, 'hookbell.cmd'), '')
    expect(howToCall({ root, cwd: home, path, platform: 'win32' })).toBe('hookbell')
    const other = await makePackage('clone')
    expect(howToCall({ root: other.root, cwd: home, path, platform: 'win32' })).not.toBe('hookbell')
  })

  it('returns the program path of a clone, relative within the clone', async () => {
    const { home, root } = await makePackage('clone')
    expect(howToCall({ root, cwd: root, path: '' })).toBe('node bin/hookbell')
    expect(howToCall({ root, cwd: home, path: '' })).toBe(
      `node ${quoteIfNeeded(join(root, 'bin/hookbell'))}`,
    )
  })

  it('returns npx in a project that depends on the package', async () => {
    const { home, root } = await makePackage('node_modules/hookbell')
    expect(howToCall({ root, cwd: home, path: '' })).toBe('npx hookbell')
  })

  it('is used in the commands that messages suggest', async () => {
    const text = asTyped('Register hookbell with: hookbell init, or hookbell test desktop')
    expect(text).toBe(`Register hookbell with: ${howToCall()} init, or ${howToCall()} test desktop`)
  })

  it('returns the program path when another copy comes first in the PATH', async () => {
    const { root, bin, link } = await makePackage('lib/node_modules/hookbell')
    link()
    const other = await makePackage('other')
    other.link()
    const path = `${other.bin}:${bin}`
    expect(howToCall({ root, cwd: '/', path })).toBe(
      `node ${quoteIfNeeded(join(root, 'bin/hookbell'))}`,
    )
  })

  it.each([
    ['win32', 'C:\\tools\\hookbell', 'C:\\tools\\hookbell'],
    ['win32', 'C:\\my files\\hookbell', '"C:\\my files\\hookbell"'],
    ['linux', '/my files/hookbell', "'/my files/hookbell'"],
  ] as const)('quotes a word for the shell of %s: %s', (platform, word, quoted) => {
    expect(quoteIfNeeded(word, platform)).toBe(quoted)
  })
})

describe.skipIf(process.platform === 'win32')('pathSteps', () => {
  const makeInstalled = async (place: string) => {
    const made = await makePackage(place)
    const folder = join(made.home, '.local/bin')
    mkdirSync(folder, { recursive: true })
    symlinkSync(join(made.root, 'bin/hookbell'), join(folder, 'hookbell'))
    return { ...made, folder }
  }

  it.each(['.local/lib/node_modules/hookbell', 'clone'])(
    'says how to put the folder on the PATH in which npm linked %s',
    async (place) => {
      const { root, home, folder } = await makeInstalled(place)
      const [step = '', ...more] = pathSteps({ root, home, path: '/usr/bin' })
      expect(step).toContain(`put ${folder} on your PATH: add to ~/.profile`)
      expect(step).toContain(`export PATH='${folder}':"$PATH"`)
      expect(more).toEqual([])
      expect(pathSteps({ root, home, path: `/usr/bin:${folder}` })).toEqual([])
    },
  )

  it('names the folder whose program comes first', async () => {
    const { root, home, folder, bin } = await makeInstalled('clone')
    writeFileSync(join(bin, 'hookbell'), '')
    const [step] = pathSteps({ root, home, path: `${bin}:${folder}` })
    expect(step).toContain(`put ${folder} on your PATH before ${bin}, which has another one`)
  })

  it('says nothing where npm linked no program', async () => {
    const { root, home } = await makePackage('clone')
    expect(pathSteps({ root, home, path: '/usr/bin' })).toEqual([])
  })
})
