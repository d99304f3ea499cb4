/** The hash in hexadecimal digits. The module is loaded on first use: loading it takes a fifth of the start time. */
export function sha256(data: string | Uint8Array): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', data)
}
