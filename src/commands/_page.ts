/** A self-contained page for a browser, an email or a printer. `sections` are HTML, the other texts are escaped. */
export function htmlPage(
  title: string,
  subtitle: string,
  sections: readonly string[],
  { refreshSeconds }: { refreshSeconds?: number } = {},
): string {
  const refresh = refreshSeconds ? `<meta http-equiv="refresh" content="${refreshSeconds}">\n` : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
${refresh}<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1><p>${escapeHtml(subtitle)}</p></header>
${sections.filter(Boolean).join('\n')}
</body>
</html>
`
}

/** A section with a heading. `content` is HTML. */
export function section(title: string, content: string): string {
  return `<section><h2>${escapeHtml(title)}</h2>${content}</section>`
}

/** A figure in large type, for a section of the class `totals`. */
export function total(value: string, label: string): string {
  return `<div><b>${escapeHtml(value)}</b><span>${escapeHtml(label)}</span></div>`
}

/** A table whose first column has names and the others numbers, or whose columns all have words. */
export function htmlTable(
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
  content: 'numbers' | 'words' = 'numbers',
): string {
  const cells = (row: readonly unknown[], tag: 'th' | 'td') =>
    `<tr>${row.map((cell) => `<${tag}>${escapeHtml(String(cell))}</${tag}>`).join('')}</tr>`
  const body = rows.map((row) => cells(row, 'td')).join('\n')
  return `<div class="scroll"><table class="${content}"><thead>${cells(head, 'th')}</thead><tbody>${body}</tbody></table></div>`
}

/** Escapes HTML: names come from outside, and none of them may become markup. */
function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '')
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; color: #22252b; background: #f4f5f7; margin: 0 auto; max-width: 1100px; padding: 24px 16px; }
h1 { font-size: 26px; margin: 0; } h2 { font-size: 17px; margin: 0 0 8px; } header p { color: #62666f; margin: 2px 0 20px; }
section { background: #fff; border: 1px solid #e2e4e9; border-radius: 10px; padding: 16px 18px; margin: 0 0 16px; break-inside: avoid; overflow-x: auto; }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(105px, 1fr)); gap: 12px; }
.totals b { display: block; font-size: 22px; } .totals span { color: #62666f; font-size: 13px; }
svg { width: 100%; min-width: 620px; height: auto; display: block; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid #eceef1; white-space: nowrap; } th:first-child, td:first-child, .words th, .words td { text-align: left; }
.words td:last-child { white-space: normal; overflow-wrap: anywhere; } section > p { margin: 0; color: #62666f; }
@media screen and (prefers-color-scheme: dark) {
body { color: #e6e8ec; background: #16181c; } section { background: #1f2227; border-color: #33373f; } th, td { border-color: #33373f; }
header p, .totals span, section > p { color: #a6abb4; } svg text { fill: #c6cad1; stroke: none; } svg path[stroke="#dbdee4"] { stroke: #3a3f47; }
}
`
