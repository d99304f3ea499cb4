import { shDoor } from './_door.ts'
import { durabilitySuite } from './durability-suite.ts'

durabilitySuite(shDoor)
