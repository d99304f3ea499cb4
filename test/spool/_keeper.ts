// Keeps what is open of an event, and says whether it could.
import { Store } from '../../src/spool/store.ts'
import { makeDelivery } from '../support/delivery.ts'

const store = new Store({ stateDir: process.argv[2] ?? '' })
const keeping = store.keep({ state: 'deferred', reason: 'x', delivery: makeDelivery('e') })
process.stdout.write(
  await keeping.then(
    () => 'kept',
    () => 'not kept',
  ),
)
