import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'

/** The path of a browser that needs no screen; undefined if none is installed. On Debian: chromium-headless-shell. */
export const browser = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path))

/** Loads a page. @returns its DOM as HTML @param folder where the browser keeps its profile */
export async function dumpPage(
  url: string,
  folder: string,
  more: readonly string[] = [],
): Promise<string> {
  const flags = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    `--user-data-dir=${join(folder, 'browser')}`,
  ]
  const { stdout } = await execa(String(browser), [...flags, ...more, '--dump-dom', url])
  return stdout
}
