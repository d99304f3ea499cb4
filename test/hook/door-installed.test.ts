import { installedDoor } from './_door.ts'
import { doorSuite } from './door-suite.ts'

doorSuite(installedDoor)
