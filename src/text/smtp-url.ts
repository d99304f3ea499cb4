/** How to write the URL of a mail server. */
export const SMTP_URL_FORM =
  'smtps:// or smtp://user:password@host:port, with % as %25, / as %2F, ? as %3F and # as %23 in user and password'

interface Credentials {
  user: string
  password: string
}

/** Whether a text is the URL of a mail server, and has nothing else that could change how mails are sent. */
export function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  const { protocol, hostname, pathname, search, hash } = url
  if (!/^smtps?:$/.test(protocol) || hostname === '') return false
  if (!['', '/'].includes(pathname) || search + hash !== '') return false
  try {
    smtpCredentials(url)
    return true
  } catch {
    return false
  }
}

/** User and password of a server's URL, decoded. @throws URIError if they are not correctly percent-encoded */
export function smtpCredentials(server: URL): Credentials {
  return {
    user: decodeURIComponent(server.username),
    password: decodeURIComponent(server.password),
  }
}
