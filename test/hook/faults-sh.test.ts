import { shDoor } from './_door.ts'
import { faultsSuite } from './faults-suite.ts'

faultsSuite(shDoor)
