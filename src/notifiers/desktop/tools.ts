import { isAbsolute } from 'node:path'
import { sessionBus } from '../../fs/session-bus.ts'
import { boundLine, escapeMarkup } from '../_text.ts'
import { DeliveryError, type SendContext, type Urgency } from '../define.ts'
import { USUAL_SOUND } from './sound.ts'

/** A notification to show; its texts are already truncated. */
export interface Notice {
  title: string
  body: string
  /** The path of a picture for its kind; absent for a kind that needs nobody. */
  icon?: string
  /** The same for a desktop that shows only a few rows of it. */
  shortBody?: string
  urgency: Urgency
  /** A name of the sound theme, or the path of a file; absent for none. */
  sound?: string
  /** How long it is shown; 0: until it is dismissed or withdrawn. */
  timeoutSeconds: number
  /** Whether it is shown until it is withdrawn, where that is possible. */
  stays?: boolean
  /** Whether the desktop says that it reads no markup. */
  deniesMarkup?: boolean
  /** Whether the desktop says that it plays sounds. */
  playsSounds?: boolean
}

/** A program to run, without a shell. Texts are data: they are never part of a script. */
export interface Tool {
  file: string
  args: string[]
  env: Record<string, string | undefined>
  input?: string
}

/** Linux and the BSDs. @throws DeliveryError where the session has no session bus */
export async function notifySend(
  notice: Notice,
  sessionEnv: SendContext['sessionEnv'],
  more: readonly string[] = [],
): Promise<Tool> {
  return { ...notifySendCommand(notice, more), env: await busEnv(sessionEnv) }
}

export function notifySendCommand(
  notice: Notice,
  more: readonly string[] = [],
): Pick<Tool, 'file' | 'args'> {
  return {
    file: 'notify-send',
    args: [
      '--app-name=hookbell',
      `--urgency=${notice.urgency}`,
      `--expire-time=${notice.stays ? 0 : notice.timeoutSeconds * 1000}`,
      ...(notice.icon === undefined ? [] : [`--icon=${notice.icon}`]),
      ...soundHint(notice),
      ...more,
      '--',
      notice.title,
      // Only the body may be markup, and only there does notify-send resolve backslash sequences.
      escapeBody(notice).replaceAll('\\', '\\\\'),
    ],
  }
}

/** Not for a desktop that plays none: one that reads the hint all the same would play it a second time. */
function soundHint({ sound, playsSounds }: Notice): string[] {
  if (sound === undefined || playsSounds === false) return []
  return [`--hint=string:sound-${isAbsolute(sound) ? 'file' : 'name'}:${sound}`]
}

/**
 * If the desktop says that it reads no markup, escapes only the characters with which a tag or an entity begins: dunst
 * 1.9 without settings says so, but does read markup, and a tag could hide a part of a command.
 */
function escapeBody({ body, deniesMarkup }: Notice): string {
  if (!deniesMarkup) return escapeMarkup(body)
  return body.replace(/&(?=#?\w+;)/g, '&amp;').replaceAll('<', '&lt;')
}

/**
 * The environment for desktop tools. It has nothing of the worker's own session, since the worker serves several.
 * Without LANG the tools' messages are in English. @throws DeliveryError where the session has no session bus
 */
export async function busEnv(
  sessionEnv: SendContext['sessionEnv'],
): Promise<Record<string, string>> {
  const bus = await sessionBus(sessionEnv)
  if ('why' in bus) {
    throw new DeliveryError('unavailable', `desktop: ${bus.why}`, {
      hint: 'Expected over SSH, in containers and in CI. On Debian a desktop needs dbus-user-session',
    })
  }
  return {
    PATH: process.env.PATH || '/usr/local/bin:/usr/bin:/bin',
    DBUS_SESSION_BUS_ADDRESS: bus.address,
  }
}

const APPLE_SCRIPT = `on run argv
  if item 3 of argv is "" then
    display notification (item 2 of argv) with title (item 1 of argv)
  else
    display notification (item 2 of argv) with title (item 1 of argv) sound name (item 3 of argv)
  end if
end run
`

/** macOS. The script is read from stdin, so that everything after `-` is text and never an option. */
export function osascript({ title, body, sound }: Notice): Tool {
  return {
    file: '/usr/bin/osascript',
    args: ['-', title, body, systemSound(sound)],
    env: process.env,
    input: APPLE_SCRIPT,
  }
}

/** The name of a sound for macOS; '' for none, and for a file, which another program plays. */
function systemSound(sound = ''): string {
  if (sound === USUAL_SOUND) return 'default'
  return isAbsolute(sound) ? '' : sound
}

// Windows shows no toast without a registered sender; PowerShell is one that every Windows has.
const POWERSHELL_SCRIPT = `
$ErrorActionPreference = 'Stop'
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$null = [Windows.Data.Xml.Dom.XmlDocument, Windows.Data.Xml.Dom, ContentType = WindowsRuntime]
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent('ToastText02')
$texts = $xml.GetElementsByTagName('text')
$null = $texts.Item(0).AppendChild($xml.CreateTextNode($env:HOOKBELL_TITLE))
$null = $texts.Item(1).AppendChild($xml.CreateTextNode($env:HOOKBELL_BODY))
if ($env:HOOKBELL_SOUND -ne 'sound') {
  $audio = $xml.CreateElement('audio')
  $audio.SetAttribute('silent', 'true')
  $null = $xml.DocumentElement.AppendChild($audio)
}
$toast = New-Object Windows.UI.Notifications.ToastNotification $xml
$sender = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($sender).Show($toast)
`

/** Windows and WSL. WSLENV names the variables that WSL passes on to Windows programs. */
export function powershell({ title, body, sound }: Notice, platform = process.platform): Tool {
  const script = Buffer.from(POWERSHELL_SCRIPT, 'utf16le').toString('base64')
  // First its usual place: WSL may have been told not to add the PATH of Windows to its own.
  const [system, end] =
    platform === 'win32' ? [process.env.SystemRoot ?? 'C:\\Windows', ';'] : ['/mnt/c/Windows', ':']
  const folder = `${system}/System32/WindowsPowerShell/v1.0`
  return {
    file: 'powershell.exe',
    args: ['-NoProfile', '-NonInteractive', '-EncodedCommand', script],
    env: {
      ...process.env,
      PATH: [folder, process.env.PATH ?? ''].join(end),
      HOOKBELL_TITLE: title,
      HOOKBELL_BODY: body,
      HOOKBELL_SOUND: sound ? 'sound' : 'silent',
      WSLENV: 'HOOKBELL_TITLE:HOOKBELL_BODY:HOOKBELL_SOUND',
    },
  }
}

// GDBus errors of a session without notifications: no bus at the address, no notification service
// on the bus, or one that could not be started.
const NO_DESKTOP = /Could not connect|ServiceUnknown|not provided by any|StartServiceByName|Spawn/

/** The verdict on a tool that did not show the text. */
export function toolFailure(file: string, failure: { code: string | undefined; text: string }) {
  const text = `desktop: ${file}: ${boundLine(failure.text, 300)}`
  if (failure.code === 'ENOENT') {
    return new DeliveryError('unavailable', `desktop: ${file} is not installed`, {
      hint:
        file === 'powershell.exe'
          ? 'On WSL it is below /mnt/c/Windows: is that drive mounted?'
          : 'On Linux, install libnotify (libnotify-bin on Debian and Ubuntu)',
    })
  }
  if (NO_DESKTOP.test(failure.text) && !/Timeout|NoReply/.test(failure.text)) {
    return new DeliveryError('unavailable', text, {
      hint: 'Start a notification daemon in the desktop session',
    })
  }
  return new DeliveryError('retry', text)
}
