/** In the help of every command that calls the API. */
export const NEEDS_KEY = 'The API key comes from the environment variable HOOKBELL_API_KEY.'

/** For those who gave a secret on the command line. */
export const PUT_KEY = 'Put the API key into the environment variable HOOKBELL_API_KEY'

/** For those who gave the secret of a channel there. */
export const PIPE_IT = 'Without a value: it is asked for, or read from stdin'
