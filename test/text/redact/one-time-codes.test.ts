import { testRedaction } from './redaction-suite.ts'

const secret = [
  'npm publish --otp=«123456»',
  'npm publish --otp «123456» && git push',
  "npm publish --otp='«123456»'",
  'oathtool --totp «12345678»',
  'tool --pin «4821»',
  'tool --card-pin=«4821»',
  'tool --passcode «482193»',
  'aws sts get-session-token --token-code «123456»',
  'tool --mfa-code «123456» --2fa-code=«654321»',
  'tool --otp «ccccccbtlrhtkdklnvvvtgvnnnbkeeurnkndnfnbjdjg»',
  'OTP=«123456» npm publish',
  'NPM_CONFIG_OTP=«123456» npm publish',
  'PIN=«4821» NPM_OTP=«123456» USER_PIN=«4821»',
  'export CARD_PIN="«4821»" MFA_CODE=«123456»',
]

/** Prose and commands that look similar. */
const harmless = [
  'npm publish --otp=$OTP',
  'npm publish --otp is asked for',
  'tool --pin 13 --spin 4821 --dump-pin=abcd',
  'STOP=123456 SPIN=4821 LED_PIN=13',
  'GPIO_PIN=1234 LED_PIN=4821 MOSI_PIN=1001',
  'exit code=123456, PINS=4821, OTP_LENGTH=123456',
  'pip install --pinned 2024',
]

testRedaction('options for a code', { secret, harmless })
