import { installedDoor } from './_door.ts'
import { agentSuite } from './agent-suite.ts'

agentSuite(installedDoor)
