import { installedDoor } from './_door.ts'
import { isolationSuite } from './isolation-suite.ts'

isolationSuite(installedDoor)
