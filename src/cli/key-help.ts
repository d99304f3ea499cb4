/** Shown in the help of every command that calls the API. */
export const NEEDS_KEY = 'The API key comes from the environment variable HOOKBELL_API_KEY.'

/** The hint after a secret option, such as `--api-key`, on the command line. */
export const PUT_KEY = 'Put the API key into the environment variable HOOKBELL_API_KEY'

/** The hint after `secrets set NAME VALUE`. */
export const PIPE_IT = 'Without a value: it is asked for, or read from stdin'
