let lastAt = 0

/**
 * A unique event id, greater than earlier ones of this process. It is not a secret, so Math.random will do: loading
 * node:crypto would cost the agent 4 ms.
 */
export function newId(): string {
  lastAt = Math.max(Date.now(), lastAt + 1)
  const random = () => Math.random().toString(36).slice(2, 13).padEnd(11, '0')
  return `${lastAt.toString(36)}-${process.pid}-${random()}${random()}`
}
