import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { escapeControls, showPath } from '../../text/clean.ts'

/** The unified diff of one file, as `patch` takes it, safe to print on a terminal. */
export function renderDiff(path: string, before: string | undefined, after: string): string {
  const name = showPath(path)
  const old = before === undefined ? '/dev/null' : name
  const diff = createTwoFilesPatch(old, name, before ?? '', after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return escapeControls(diff)
}
