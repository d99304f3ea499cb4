import { everything } from '../api/endpoints/index.ts'
import { makeOpenApi } from '../api/reference/openapi.ts'
import { ok, type Reply } from './reply.ts'
import type { Running } from './world.ts'

const pages: { readonly [path: string]: (running: Running) => Reply } = {
  '/health': ({ world }) => ok({ status: 'ok', now: world.clock.now() }),
  '/openapi.json': (running) => ok(documentOf(running)),
  '/docs': ({ addresses: { apiKey } }) => ({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
    body: pageFor(apiKey),
  }),
}

/** Whether a request is for a page that the emulator adds to the service, which needs no key. */
export function isPage(method: string, path: string) {
  return /^(GET|HEAD)$/.test(method) && Object.hasOwn(pages, path)
}

/** Answers a request for a page. Like the control API, it is not recorded and is exempt from faults. */
export function handlePage(running: Running, path: string): Reply {
  return pages[path]?.(running) ?? { status: 404 }
}

/** The document of the endpoints, with the URLs of this emulator. */
function documentOf({ addresses: { url, appUrl } }: Running) {
  const servers = {
    base: { url, description: 'The emulator' },
    app: { url: appUrl, description: 'The emulator, as the application' },
  }
  // Also what is beyond the specification, marked as such: the document says what this server answers.
  return makeOpenApi(new Map(), servers, everything)
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src http:"

/** A page that lists the endpoints, and sends what a person fills in. */
function pageFor(apiKey: string) {
  // In a script, `<` could end it.
  return page.replace('KEY', () => JSON.stringify(apiKey).replaceAll('<', '\\u003c'))
}

const page = `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>Emulator</title>
<style>
  body { font: 16px/1.5 system-ui; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  summary { cursor: pointer } code, pre, input, textarea { font: 14px ui-monospace, monospace }
  label { display: block; margin: .3rem 0 } input, textarea { width: 100%; box-sizing: border-box }
  pre { overflow: auto; background: #8882; padding: .5rem }
</style>
<h1>Emulator</h1>
<label>API key <input id="key"></label>
<main></main>
<script>
const add = (parent, name, fields = {}) => parent.appendChild(Object.assign(document.createElement(name), fields))
document.querySelector('#key').value = KEY
const show = (document_, path, method, operation) => {
  const { parameters = [], requestBody } = operation
  const details = add(document.querySelector('main'), 'details')
  add(details, 'summary', { textContent: method.toUpperCase() + ' ' + path + ': ' + operation.summary })
  add(details, 'p', { textContent: operation.description ?? '' })
  const inputs = parameters.map((one) => {
    const label = add(details, 'label', { textContent: one.name + (one.required ? ' (required) ' : ' ') })
    return { ...one, input: add(label, 'input', { value: one.required ? one.example ?? '' : '' }) }
  })
  const { example } = requestBody?.content['application/json'] ?? {}
  const body = requestBody && add(details, 'textarea', { rows: 6, value: JSON.stringify(example ?? {}, null, 2) })
  const button = add(details, 'button', { textContent: 'Send' })
  const output = add(details, 'pre', { hidden: true })
  button.onclick = async () => {
    const query = new URLSearchParams()
    let target = path
    for (const { in: place, name, input } of inputs) {
      if (place === 'path') target = target.replace('{' + name + '}', encodeURIComponent(input.value))
      else if (input.value) query.append(name, input.value)
    }
    const { url } = (document_.paths[path].servers ?? document_.servers)[0]
    const headers = { authorization: 'Bearer ' + document.querySelector('#key').value }
    const asked = { method, headers, ...(body ? { body: body.value } : {}) }
    output.hidden = false
    output.textContent = await fetch(url + target + (query.size ? '?' + query : ''), asked).then(
      async (response) => {
        const text = await response.text()
        const shown = text.startsWith('{') ? JSON.stringify(JSON.parse(text), null, 2) : text
        return response.status + ' ' + response.statusText + '\\n' + shown
      },
      String,
    )
  }
}
fetch('/openapi.json').then((response) => response.json()).then((document_) => {
  for (const [path, item] of Object.entries(document_.paths))
    for (const [method, operation] of Object.entries(item))
      if (operation.operationId) show(document_, path, method, operation)
})
</script>
</html>
`
