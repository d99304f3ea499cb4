/** `name: detail`. Errors begin with the type of their channel, which is often its name too: that is said once. */
export function named(name: string, detail: string): string {
  return detail.startsWith(`${name}: `) ? detail : `${name}: ${detail}`
}
