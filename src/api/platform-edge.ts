import { ConfigError } from './errors.ts'
import type * as node from './platform.ts'
import type { Transport } from './transport.ts'

type Platform = { [Name in keyof typeof node]: (typeof node)[Name] }

function needsNode(name: string) {
  return new ConfigError(`${name} needs Node.js`)
}

/** A transport whose requests are rejected: `createClient` never throws. */
function makeRefusing(name: string): Transport {
  return {
    async send() {
      throw new ConfigError(`the ${name} transport needs Node.js`, { hint: 'leave transport out' })
    },
  }
}

const titles: { [status: number]: string } = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

// Checked as a whole, exported by name: an import of a name that is missing here would only fail in a bundle.
const platform: Platform = {
  fileFromPath: async () => Promise.reject(needsNode('fileFromPath')),
  imageFromPath: async () => Promise.reject(needsNode('imageFromPath')),
  makeRotateTo: () => async () => Promise.reject(needsNode('rotateTo')),
  httpsTransport: () => makeRefusing('https'),
  undiciTransport: () => makeRefusing('undici'),
  isUndiciUsable: () => false,
  statusTitle: (status) => titles[status],
}

export const {
  fileFromPath,
  imageFromPath,
  makeRotateTo,
  httpsTransport,
  undiciTransport,
  isUndiciUsable,
  statusTitle,
} = platform
