import { shDoor } from './_door.ts'
import { agentSuite } from './agent-suite.ts'

agentSuite(shDoor)
