/** Shown in the help of every command that calls the API. */
export const NEEDS_KEY =
  'The API key comes from the environment variable HOOKBELL_API_KEY, else from FACTORY_API_KEY.'

/** The hint if there is no key. The emulator needs no account. */
export const GET_KEY =
  'Put the key into the environment variable HOOKBELL_API_KEY or FACTORY_API_KEY. ' +
  'Get one at https://app.factory.ai/settings/api-keys, or try without: hookbell emulator'

/** The hint after a secret option, such as `--api-key`, on the command line. */
export const PUT_KEY = 'Put the API key into the environment variable HOOKBELL_API_KEY'

/** The hint after `secrets set NAME VALUE`. */
export const PIPE_IT = 'Without a value: it is asked for, or read from stdin'
