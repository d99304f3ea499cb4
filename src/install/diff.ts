import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'

/** The unified diff of one file, as `patch` takes it, safe to print on a terminal. */
export function renderDiff(path: string, before: string | undefined, after: string): string {
  const old = before === undefined ? '/dev/null' : path
  const diff = createTwoFilesPatch(old, path, before ?? '', after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return escapeControls(diff)
}

/** From a comment, a string or a file name. The line ends of the file stay. */
function escapeControls(text: string): string {
  return text.replace(
    /(?!\r\n)[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
