import { installedDoor } from './_door.ts'
import { faultsSuite } from './faults-suite.ts'

faultsSuite(installedDoor)
