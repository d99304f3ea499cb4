import { describe, expect, it } from 'vitest'
import { renderDiff } from '../../../src/install/edit/diff.ts'

describe('renderDiff', () => {
  it('shows a new file against /dev/null', () => {
    expect(renderDiff('/x/settings.json', undefined, '{}\n')).toMatchInlineSnapshot(`
      "--- /dev/null
      +++ /x/settings.json
      @@ -0,0 +1,1 @@
      +{}
      "
    `)
  })

  it('keeps line endings, so that patch accepts the diff', () => {
    expect(renderDiff('/x', '{\r\n}\r\n', '{\r\n\t"a": 1\r\n}\r\n')).toBe(
      '--- /x\n+++ /x\n@@ -1,2 +1,3 @@\n {\r\n+\t"a": 1\r\n }\r\n',
    )
  })

  it('escapes control characters', () => {
    const text = renderDiff('/a\u001b[2J', '// \u001b]0;x\u0007 \u009b1m \u202e\r\u2066', '{}')
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e\u2066]/)
    expect(text).toContain('// \\u001b]0;x\\u0007 \\u009b1m \\u202e\\u000d\\u2066')
  })
})
