// Takes the lock of a state folder, and prints whether it could and what is there then.
import { readdirSync } from 'node:fs'
import { acquireLock } from '../../src/spool/lock.ts'

const stateDir = process.argv[2] ?? ''
const acquired = acquireLock(stateDir)
process.stdout.write(`${JSON.stringify({ acquired, files: readdirSync(stateDir) })}\n`)
