// Tries to take the lock of a state folder, and prints the result and the files of the folder.
import { readdirSync } from 'node:fs'
import { acquireLock } from '../../src/spool/lock/lock.ts'

const stateDir = process.argv[2] ?? ''
const acquired = acquireLock(stateDir)
process.stdout.write(`${JSON.stringify({ acquired, files: readdirSync(stateDir) })}\n`)
