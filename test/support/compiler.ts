import { join } from 'node:path'
import { root } from './home.ts'

/** Arguments of Node.js that start the compiler. Several threads would each look at what they share, for twice the work. */
export const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '--singleThreaded']
