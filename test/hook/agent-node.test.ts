import { nodeDoor } from './_door.ts'
import { agentSuite } from './agent-suite.ts'

agentSuite(nodeDoor)
