import { join } from 'node:path'
import { root } from './home.ts'

/** Arguments of Node.js that start the compiler. With several threads, each would check the shared files again. */
export const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '--singleThreaded']
