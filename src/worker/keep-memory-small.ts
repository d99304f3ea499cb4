/**
 * A worker is idle most of the time, so it must not keep the memory of one busy moment (130 MiB without this, 100
 * with). Not to be called at the start: after a flag changes, V8 rejects all cached code, ours and that of Node.js.
 */
export function keepMemorySmall() {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
}
