import { installedDoor } from './_door.ts'
import { waitingSuite } from './waiting-suite.ts'

waitingSuite(installedDoor)
