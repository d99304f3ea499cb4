import type { ShapeGroup } from './secret-shape.ts'

/** Codes of a second factor. They are digits only, so that they count as secrets just behind these names. */
export const oneTimeCodeGroups: readonly ShapeGroup[] = [
  {
    words: ['otp', 'pin', 'code'],
    shapes: [
      // npm publish --otp=123456
      {
        pattern:
          /(?<keep>(?<![\w-])--(?:[\w-]{0,40}-)?(?:t?otp|pin|passcode|(?:mfa|2fa|token)-code)[ =]["'`]?)\w{4,}/gi,
        accept: isOneTimeCode,
      },
      // NPM_CONFIG_OTP=123456 npm publish; `LED_PIN` is one of a chip.
      {
        pattern:
          /(?<keep>(?<![A-Za-z])(?:T?OTP|(?<![A-Z\d]_)PIN|(?:CARD|SIM|USER|ADMIN|SO|PIV|HSM|YUBIKEY|LOGIN|UNLOCK|SECURITY|PAIRING|ACCESS|BANK|PHONE)_PIN|PASSCODE|(?:MFA|2FA|TOKEN)_CODE)=["'`]?)\w{4,}/g,
        accept: isOneTimeCode,
      },
    ],
  },
]

/** The digits of a code, or what a YubiKey types. */
function isOneTimeCode(value: string): boolean {
  return /^(?:\d{4,10}|[cbdefghijklnrtuv]{32,64})$/.test(value)
}
