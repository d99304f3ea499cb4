import { installedNodeDoor } from './_door.ts'
import { waitingSuite } from './waiting-suite.ts'

waitingSuite(installedNodeDoor)
