import { shDoor } from './_door.ts'
import { doorSuite } from './door-suite.ts'

doorSuite(shDoor)
