import type { FileHandle } from 'node:fs/promises'
import { ValidationError } from './errors.ts'

/** An image as `sessions.messages.add` takes it. */
export interface ImageAttachment {
  type: 'base64'
  data: string
  mediaType: string
}

/** A file as `sessions.messages.add` takes it. */
export interface FileAttachment extends ImageAttachment {
  name: string
}

export interface AttachmentOptions {
  /** The largest file that is accepted, in bytes. The service documents no limit. @default 10485760 */
  maxBytes?: number | undefined
}

// Not a product: bundlers keep one in bundles that do not use it.
const MOST_BYTES = 10_485_760

const imageTypes: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

const fileTypes: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.json': 'application/json',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
}

const signatures: Readonly<Record<string, RegExp>> = {
  'application/pdf': /^%PDF-/,
  'image/gif': /^GIF8[79]a/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/webp': /^RIFF....WEBP/s,
}

/**
 * Reads a GIF, JPEG, PNG or WebP image. Its type and size are checked before it is read.
 * @throws {ValidationError} naming `path` if it is none of these, too large, or cannot be read
 */
export async function imageFromPath(
  path: string,
  options: AttachmentOptions = {},
): Promise<ImageAttachment> {
  return read('imageFromPath', path, imageTypes, options)
}

/**
 * Reads a PDF or a text file, such as source code. Its size is checked before it is read.
 * @throws {ValidationError} naming `path` if it is neither, too large, or cannot be read
 */
export async function fileFromPath(
  path: string,
  options: AttachmentOptions = {},
): Promise<FileAttachment> {
  const attachment = await read('fileFromPath', path, fileTypes, options, 'text/plain')
  return { ...attachment, name: baseName(path) }
}

async function read(
  place: string,
  path: string,
  types: Readonly<Record<string, string>>,
  options: AttachmentOptions | null,
  otherType?: string,
): Promise<ImageAttachment> {
  const { maxBytes = MOST_BYTES } = options ?? {}
  const refuse = (problem: string, cause?: unknown) =>
    new ValidationError(place, [{ field: 'path', problem: `"${path}" ${problem}` }], { cause })
  if (typeof path !== 'string') throw refuse('is not a string')
  const knownType = types[/\.[^./\\]+$/.exec(path)?.[0].toLowerCase() ?? '']
  const mediaType = knownType ?? otherType
  if (!mediaType) throw refuse(`must end in ${Object.keys(types).join(', ')}`)
  // Loaded here, since not every runtime has a file system.
  const { open, stat } = await import('node:fs/promises')
  const { isUtf8 } = await import('node:buffer')
  let file: FileHandle | undefined
  try {
    // Checked before opening, since opening a named pipe blocks until there is a writer.
    const found = await stat(path)
    if (!found.isFile()) throw refuse('is not a file')
    if (found.size > maxBytes) throw refuse(`has ${found.size} bytes, more than ${maxBytes}`)
    file = await open(path)
    const head = await file.read(Buffer.alloc(16), 0, 16, 0)
    const signature = signatures[mediaType]
    if (signature && !signature.test(head.buffer.toString('latin1', 0, head.bytesRead)))
      throw refuse(`is not what its name says (${mediaType})`)
    const data = await file.readFile()
    if (data.length > maxBytes) throw refuse(`grew beyond ${maxBytes} bytes`)
    if (!knownType && (data.includes(0) || !isUtf8(data)))
      throw refuse('is neither PDF nor text; images: imageFromPath')
    return { type: 'base64', mediaType, data: data.toString('base64') }
  } catch (error) {
    if (error instanceof ValidationError) throw error
    throw refuse(`cannot be read: ${(error as Error).message}`, error)
  } finally {
    await file?.close()
  }
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path
}
