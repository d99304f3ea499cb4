/**
 * A unique event id. It is not a secret, so Math.random will do: loading node:crypto would cost
 * the agent 4 ms.
 */
export function newId(): string {
  const random = () => Math.random().toString(36).slice(2, 13).padEnd(11, '0')
  return `${Date.now().toString(36)}-${process.pid}-${random()}${random()}`
}
