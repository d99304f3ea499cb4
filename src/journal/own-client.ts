/** The client of events that hookbell itself makes, such as tests and reports of failures. */
export const OWN_CLIENT = 'hookbell'
