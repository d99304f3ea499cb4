import { shDoor } from './_door.ts'
import { environmentSuite } from './environment-suite.ts'

environmentSuite(shDoor)
