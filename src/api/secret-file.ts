/** A file for the only copy of a secret, prepared so that saving cannot fail for lack of space or access. */
export interface SecretFile {
  /** Writes the text to the disk and puts the file in its place. */
  save(text: string): Promise<void>
  /** Writes the text to the prepared file, whose name ends in `.new`, and leaves it there. */
  keep(text: string): Promise<void>
  /** Removes the prepared file. */
  discard(): Promise<void>
}

// Bytes that are reserved before the call, so that a full disk fails early. Longer than any key.
const ROOM = 16_384

/** Prepares a file that only its owner can read, beside the one that it will replace. */
export async function openSecretFile(file: string): Promise<SecretFile> {
  // Loaded here, since not every runtime has a file system.
  const { open, rename, rm, stat } = await import('node:fs/promises')
  const found = await stat(file).catch(() => undefined)
  if (typeof file !== 'string' || !file || found?.isFile() === false)
    throw new Error('it is not a file')
  const temporary = `${file}.new`
  // `wx`: a planted link is not followed, and the second of two concurrent rotations is refused.
  const handle = await open(temporary, 'wx', 0o600)
  const discard = async () => {
    await handle.close().catch(() => undefined)
    await rm(temporary, { force: true })
  }
  try {
    await handle.write(' '.repeat(ROOM), 0)
    await handle.sync()
  } catch (error) {
    await discard()
    throw error
  }
  const keep = async (text: string) => {
    await handle.write(text, 0)
    await handle.truncate(Buffer.byteLength(text))
    await handle.sync()
    await handle.close()
  }
  return {
    discard,
    keep,
    async save(text) {
      await keep(text)
      await rename(temporary, file)
    },
  }
}
