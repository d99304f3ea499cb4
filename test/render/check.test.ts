import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { templateProblems } from '../../src/render/check.ts'
import { Templates } from '../../src/render/templates.ts'

function makeConfigDir(files: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-templates-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'templates', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return folder
}

/** The problems, without the path of the templates folder. */
function problemsOf(files: Record<string, string>) {
  const folder = makeConfigDir(files)
  return templateProblems(folder).map((text) => text.replace(`${folder}/templates/`, ''))
}

describe('own templates', () => {
  it('without a problem are not reported, nor are other files next to them', () => {
    expect(templateProblems(makeConfigDir())).toEqual([])
    const fine = '\ufeff{% assign who = project %}{% for one in (1..2) %}{{ who }}{% endfor %}'
    const files = {
      'plain/done.liquid': fine,
      'slack/waiting.liquid': '*{{ message }}*',
      'plain/done.liquid~': '{{ broken',
      'plain/done.liquid.bak': '{{ broken',
      'plain/.done.liquid.swp': '{{ broken',
      'plain/README.md': 'notes',
      'old/notes.txt': 'notes',
      LICENSE: 'notes',
    }
    expect(problemsOf(files)).toEqual([])
  })

  it('that a route names are checked too, and unused ones are reported', () => {
    const folder = makeConfigDir({
      'plain/short.liquid': '{{ projet }}',
      'plain/other-one.liquid': 'x',
    })
    const problems = templateProblems(folder, ['short']).join('\n')
    expect(problems).toContain('plain/short.liquid: no value is called "projet". Did you mean')
    expect(problems).toContain('plain/other-one.liquid: not used. No route names it as its')
  })

  it.each([
    [
      'plain/done.liquid',
      '{{ project | nope }}',
      'plain/done.liquid: undefined filter: nope, line:1, col:1. The built-in template is used until it is fixed',
    ],
    [
      'html/done.liquid',
      '\n{% if x %}',
      'html/done.liquid: tag {% if x %} not closed, line:2, col:1. The built-in template is used until it is fixed',
    ],
    [
      'plain/done.liquid',
      '{{ last_mesage }}',
      'plain/done.liquid: no value is called "last_mesage". Did you mean "last_message"?',
    ],
    ['plain/doen.liquid', '', 'plain/doen.liquid: not used. Did you mean "done.liquid"?'],
    ['plain/done.txt', '', 'plain/done.txt: not used. Did you mean "done.liquid"?'],
    [
      'plain/Stop.liquid',
      '',
      'plain/Stop.liquid: not used. No route names it as its template, and it is none of: permission, waiting, done, subagent-done, ended, abnormal-end, failed, other',
    ],
    [
      'Plain/done.liquid',
      '',
      'Plain: not used, no format is called "Plain". Did you mean "plain"?',
    ],
    [
      'done.liquid',
      '',
      'done.liquid: not used. Put it into a folder: plain, discord, html, slack, telegram',
    ],
    ['plain/done.liquid/x', '', 'plain/done.liquid: not used, it is not a file'],
  ])('with a problem are reported with advice: %s with %j', (name, text, problem) => {
    expect(problemsOf({ [name]: text })).toEqual([problem])
  })

  it.each([
    [
      'is too large for a worker',
      'x'.repeat(256 * 1024 + 1),
      0o600,
      /larger than 262144 bytes; .* Shorten it$/,
    ],
    [
      'others can write to',
      'x',
      0o666,
      /other users can change it \(mode 0666\); .* Run: chmod go-w /,
    ],
  ])('that no worker uses are reported, such as one that %s', (_, text, mode, problem) => {
    const folder = makeConfigDir({ 'plain/done.liquid': text })
    chmodSync(join(folder, 'templates/plain/done.liquid'), mode)
    expect(() => new Templates(folder).own('plain', 'done')).toThrow()
    expect(templateProblems(folder)).toEqual([expect.stringMatching(problem)])
  })

  it('that cannot be read are reported', () => {
    const folder = makeConfigDir({ 'plain/ended.liquid': 'x' })
    // A link to itself, because root can read a file without permissions.
    symlinkSync('done.liquid', join(folder, 'templates/plain/done.liquid'))
    expect(templateProblems(folder)).toEqual([
      expect.stringContaining('done.liquid: a link that leads back to itself'),
    ])
  })
})
