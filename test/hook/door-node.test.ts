import { nodeDoor } from './_door.ts'
import { doorSuite } from './door-suite.ts'

doorSuite(nodeDoor)
