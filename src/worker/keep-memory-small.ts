/** A start makes little garbage: to grow at once saves most of the collections. Changes what V8 takes compiled code for. */
export function startRoomy() {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=8')
}

/** A worker waits most of its life: it must not keep the memory of one busy moment (130 MiB without, 100 with). */
export function keepMemorySmall() {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
}
