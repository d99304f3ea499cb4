/**
 * A worker waits most of its life: it must not keep the memory of one busy moment (130 MiB without, 100 with). Not at
 * its start: after a flag is changed V8 takes no compiled code any more, neither ours nor that which Node.js brings.
 */
export function keepMemorySmall() {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
}
