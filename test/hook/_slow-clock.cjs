// Lets a clock of Node.js run 600 times as slowly, so that a deadline of a second comes after ten minutes.
const { setTimeout } = globalThis
const now = performance.now.bind(performance)
performance.now = () => now() / 600
globalThis.setTimeout = (work, ms, ...words) => setTimeout(work, ms * 600, ...words)
