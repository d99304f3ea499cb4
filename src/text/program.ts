import * as z from 'zod'

const word = z.string().regex(/^[^\0]*$/, 'must have no NUL character')

const program = z
  .string()
  .refine(
    (file) => /^~\//.test(file) || isAbsolutePath(file) || /^[\w.+-]+$/.test(file),
    'the program must be absolute, begin with ~/, or be the name of an installed program',
  )
  // Windows runs these in a shell.
  .refine((file) => !/\.(?:bat|cmd)$/i.test(file), 'must be a program, not a batch file')

/** A program that a person names, and its arguments. Never a shell line. */
export const argv = z
  .array(word)
  .min(1)
  .max(100)
  .refine((words) => program.safeParse(words[0]).success, {
    error: ({ input }) => program.safeParse((input as string[])[0]).error?.issues[0]?.message,
  })

function isAbsolutePath(file: string): boolean {
  return process.platform === 'win32' ? /^(?:[A-Za-z]:)?[\\/]/.test(file) : file.startsWith('/')
}
