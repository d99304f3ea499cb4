import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runTool } from '../../src/notifiers/desktop/run-tool.ts'
import { USUAL_SOUND } from '../../src/notifiers/desktop/sound.ts'
import { osascript, powershell, toolFailure } from '../../src/notifiers/desktop/tools.ts'
import { anyCharacter } from '../support/any-character.ts'
import { makeFolder } from '../support/folder.ts'
import { shellQuote } from '../support/shell-quote.ts'

const notice = (title: string, body: string) => ({
  title,
  body,
  urgency: 'critical' as const,
  sound: USUAL_SOUND,
  timeoutSeconds: 10,
})

const texts = fc.tuple(fc.string({ unit: anyCharacter }), fc.string({ unit: 'binary' }))

describe('notifiers: desktop: the programs of each platform', () => {
  it('osascript gets the texts as arguments, never as a part of the script', () => {
    const { input } = osascript(notice('', ''))
    fc.assert(
      fc.property(texts, ([title, body]) => {
        const tool = osascript(notice(title, body))
        expect(tool.args).toEqual(['-', title, body, 'default'])
        expect(tool.input).toBe(input)
      }),
    )
  })

  it('PowerShell gets the texts in its environment, never as a part of the script', () => {
    const { args } = powershell(notice('', ''))
    fc.assert(
      fc.property(texts, ([title, body]) => {
        const tool = powershell(notice(title, body))
        expect(tool.args).toEqual(args)
        expect(tool.env).toMatchObject({ HOOKBELL_TITLE: title, HOOKBELL_BODY: body })
      }),
    )
  })

  it.skipIf(process.platform === 'win32')(
    'a program gets hostile texts unchanged, and no other arguments',
    async () => {
      const folder = await makeFolder()
      const got = join(folder, 'got')
      const script = `#!/bin/sh\nprintf '%s\\n' "$#" "$HOOKBELL_TITLE" "$HOOKBELL_BODY" "$WSLENV" >${shellQuote(got)}\n`
      writeFileSync(join(folder, 'powershell.exe'), script, { mode: 0o755 })
      const [title, body] = ["it's; calc.exe", '$(id) `id` "x" %PATH%\n-Command & <b>🔔']
      const tool = powershell(notice(title, body))
      const env = { ...tool.env, PATH: `${folder}:${tool.env.PATH}` }
      await runTool({ ...tool, env }, new AbortController().signal)
      const names = 'HOOKBELL_TITLE:HOOKBELL_BODY:HOOKBELL_SOUND'
      expect(readFileSync(got, 'utf8')).toBe(`4\n${title}\n${body}\n${names}\n`)
    },
  )

  it('PowerShell is looked up in the folder of the system first', () => {
    const pathOn = (platform: NodeJS.Platform) => powershell(notice('', ''), platform).env.PATH
    expect(pathOn('linux')).toMatch(/^\/mnt\/c\/Windows\/System32\/WindowsPowerShell\/v1.0:/)
    expect(pathOn('win32')).toMatch(/^\w:\\Windows\/System32\/WindowsPowerShell\/v1.0;/)
  })

  it('PowerShell builds its XML with text nodes, not by concatenation', () => {
    const encoded = powershell(notice('', '')).args.at(-1) ?? ''
    const script = Buffer.from(encoded, 'base64').toString('utf16le')
    expect(script).toContain('CreateTextNode($env:HOOKBELL_TITLE)')
    expect(script).toContain('CreateTextNode($env:HOOKBELL_BODY)')
    expect(script).not.toMatch(/LoadXml|Invoke-Expression|iex/i)
  })

  it.each([
    ['Could not connect: No such file or directory', 'unavailable'],
    ['Could not connect: Connection refused', 'unavailable'],
    ['GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown: The name is unknown', 'unavailable'],
    [
      'The name org.freedesktop.Notifications was not provided by any .service files',
      'unavailable',
    ],
    ['Error calling StartServiceByName for org.freedesktop.Notifications: exited', 'unavailable'],
    ['Error calling StartServiceByName for x: Timeout was reached', 'retry'],
    ['Timeout was reached', 'retry'],
    ['something else', 'retry'],
  ])('the notify-send error "%s" gives the verdict %s', (text, verdict) => {
    expect(toolFailure('notify-send', { code: undefined, text }).verdict).toBe(verdict)
  })
})
