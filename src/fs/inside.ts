import { sep } from 'node:path'

/** Whether a path lies below a folder, judged by the texts alone. The root folder ends with a separator already. */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
