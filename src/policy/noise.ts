import type { Config } from '../config/schema.ts'

/** What the configuration says about noise, for the rules. */
type FromConfig = Config['noise']

export interface NoiseSettings extends FromConfig {
  /** Reasons of SessionEnd that a person declared abnormal; undefined where the built-in ones count. */
  abnormalReasons: readonly string[] | undefined
}

export function noiseSettingsOf({
  noise,
  abnormalReasons,
  hasOwnReasons,
}: Pick<Config, 'noise' | 'abnormalReasons' | 'hasOwnReasons'>): NoiseSettings {
  return { ...noise, abnormalReasons: hasOwnReasons ? abnormalReasons : undefined }
}
