import type { Config } from '../config/schema/schema.ts'

/** The `noise` section of the configuration. */
type FromConfig = Config['noise']

export interface NoiseSettings extends FromConfig {
  /** Reasons of SessionEnd that a person declared abnormal; undefined if the built-in ones are used. */
  abnormalReasons: readonly string[] | undefined
}

export function noiseSettingsOf({
  noise,
  abnormalReasons,
  hasOwnReasons,
}: Pick<Config, 'noise' | 'abnormalReasons' | 'hasOwnReasons'>): NoiseSettings {
  return { ...noise, abnormalReasons: hasOwnReasons ? abnormalReasons : undefined }
}
