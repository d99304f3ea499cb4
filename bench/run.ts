import { benchApi } from './api.ts'
import { benchApiCommand } from './api-command.ts'
import { benchApiExit } from './api-exit.ts'
import { benchApiStart } from './api-start.ts'
import { benchFrontDoor } from './front-door.ts'
import { benchHub } from './hub.ts'
import { benchPacedHub } from './hub-paced.ts'
import { benchLatency } from './latency.ts'
import { benchReceiver } from './receiver.ts'
import { benchRedaction } from './redaction.ts'
import { benchStart } from './start.ts'
import { benchWorker } from './worker.ts'

// One after the other, because each uses the whole machine. Ratios matter, not the values.
await benchFrontDoor()
await benchStart()
await benchReceiver()
await benchLatency()
await benchWorker()
await benchApi()
await benchApiStart()
await benchApiExit()
await benchApiCommand()
benchRedaction()
await benchHub()
await benchPacedHub()
