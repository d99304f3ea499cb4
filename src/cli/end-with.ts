/** Sets the exit code, and ends the process unless something is under way, such as output. */
export function endWith(exitCode: number) {
  process.exitCode = exitCode
  // If Node.js waited for events, V8 would collect garbage first.
  if (process.getActiveResourcesInfo().length === 0) process.exit()
}
