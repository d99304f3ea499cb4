import { isGenerated, isMixed } from './looks.ts'
import { matchesOf, type Range } from './readings.ts'

/** Not within a word: `risk-based` has no `sk-` key. */
const START = '(?<![A-Za-z0-9])'

/**
 * Keys that begin with one of some words, followed by a run of characters. Each line has the words, a space and the
 * pattern of the run. Most are in the rules of gitleaks or kingfisher:
 * https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml
 * https://github.com/mongodb/kingfisher/tree/main/crates/kingfisher-rules/data/rules
 */
const lines = String.raw`
  xoxd- [\w%+/=-]{20,}
  xoxa-|xoxb-|xoxc-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-|xapp- [\w-]{10,}
  sk_live_|sk_test_|sk_org_live_|sk_org_test_|rk_live_|rk_test_|pk_live_|pk_test_ \w{16,}
  whsec_ [\w+/=]{16,}
  gho_|ghp_|ghr_|ghs_|ghu_|github_pat_|lin_api_|lin_oauth_ \w{20,}
  glpat-|glptt-|gldt-|glrt-|glcbt-|glsoat-|gloas-|glffct-|glagent-|glft-|glimt- [\w.-]{16,}
  GR1348941|GOCSPX-|ya29\.|dckr_oat_|dckr_pat_|hvs\.|hvb\.|hvr\.|tskey- [\w-]{20,}
  AIza|figd_ [\w-]{30,}
  AQ\. (?=[A-Za-z_-]{0,40}\d)[\w-]{30,}
  1//0|nvapi-|PMAK-|xkeysib-|xsmtpsib-|fo1_ [\w-]{40,}
  SG\. [\w-]{16,100}\.[\w-]{16,}
  hf_|jsrp_ [A-Za-z0-9]{30,}
  api_org_ [A-Za-z]{34}
  shpat_|shpca_|shppa_|shpss_ [A-Fa-f0-9]{32,}
  dapi|fc- [a-f0-9]{32}
  AGE-SECRET-KEY-1 [A-Z0-9]{40,}
  gsk_|xai-|pplx-|jina_|ntn_|phx_|pha_|cfk_|cfut_|cfat_ [A-Za-z0-9]{40,}
  csk-|CLOJARS_|napi_|rdme_ [a-z0-9]{40,}
  tvly-|sb_secret_ [\w-]{28,}
  pcsk_|wandb_v1_|CCIPAT_|CCIPRJ_|pdl_live_apikey_|pdl_sdbx_apikey_ \w{40,}
  r8_ [A-Za-z0-9]{37}
  e2b_|pul-|sqa_|sqp_|squ_|bkua_|bkct_|bkaj_|shippo_live_|shippo_test_|doo_v1_|dop_v1_|dor_v1_|rubygems_|mlsn\. [a-f0-9]{40}
  lsv2_pt_|lsv2_sk_ [a-f0-9]{32}_[a-f0-9]{10}
  glsa_|glc_|sntryu_|sntrys_ [\w=+/]{30,}
  eyJrIjoi [\w=]{60,}
  ATATT|ATCTT|dnkey-|duffel_live_|duffel_test_|tfp_ [\w=-]{40,}
  ATBB|rnd_ [A-Za-z0-9]{28,}
  secret_ [A-Za-z0-9]{43}(?!\w)
  oy2 [a-z0-9]{43}(?!\w)
  cio|ico- [A-Za-z0-9]{32}(?!\w)
  key-|pubkey- [a-f0-9]{32}(?!\w)
  key_ [a-f0-9]{64}(?!\w)
  sk_ [a-f0-9]{48}(?!\w)
  re_ [A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?!\w)
  fm1|fm2 [ar]?_[\w+/=]{60,}
  vcp_|vci_|vca_|vcr_|vck_ [A-Za-z0-9]{24,}
  crsr_ [A-Za-z0-9]{32,}
  fw_ (?=[A-Za-z]{0,22}\d)[A-Za-z0-9]{22,100}(?!\w)
  BSA (?=[A-Za-z_-]{0,28}\d)[\w-]{26,29}(?![\w-])
  vercel_blob_rw_ \w{30,}
  pscale_pw_|pscale_tkn_|pscale_oauth_|pscale_api_ [\w.=-]{32,}
  sbp_ (?:oauth_)?[a-f0-9]{40}
  nfp_|pnu_|pnb_|apify_api_ [A-Za-z0-9]{36}
  dp\. (?:pt|ct|sa|scim|audit|st(?:\.[\w-]{1,40})?)\.[A-Za-z0-9]{40,}
  NRAK- [A-Z0-9]{27}
  NRII- [\w-]{32}
  dt0 [a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}
  sgp_ (?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}
  snyk_ [a-z]{2,4}\.[\w.-]{40,}
  pat\.|sat\. [\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}
  API- [A-Z0-9]{26}(?![\w-])
  sha256~|CFPAT- [\w-]{43}
  v1\.0- [a-f0-9]{24}-[a-f0-9]{146}
  AKCp [A-Za-z0-9]{60,}
  cmVmdGtu [A-Za-z0-9]{50,}
  EZAK|EZTK [A-Za-z0-9]{54}
  EAA (?<![\w+/]{40}EAA)[A-Za-z][\w+-]{50,}
  sq0 [a-z]{3}-[\w-]{22,}
  FLWSECK (?:_TEST)?-[\w-]{12,}
  polar_ [a-z]{2,5}_[A-Za-z0-9]{40,}
  access-sandbox-|access-development-|access-production- [a-f0-9]{8}-[a-f0-9-]{27}
  pat-na|pat-eu|pat-ap \d-[a-f0-9]{8}-[a-f0-9-]{27}
  sdk- [a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}
  pk_ \d{6,10}_[A-Z0-9]{32}
  sl\. (?:u\.)?[\w-]{100,}
  sk\.eyJ [\w-]{20,1000}\.[\w-]{20,}
  p8e- [a-z0-9]{32}
  tk-us- [\w-]{48}
  sm_aat_|sm_pat_|sm_sat_ [A-Za-z0-9]{16}
  s-s4t2ud-|s-s4t2af- [a-f0-9]{64}
  sc_|ext_|scauth_|authress_ [a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}
  KEY0 [A-Z0-9]{30,100}_[A-Za-z0-9]{20,}
  t1\. [\w-]{10,1000}={0,2}\.[\w-]{86}
  AQVN|HRKU- [\w-]{35,}
  cflt [A-Za-z0-9+/]{60}
  BBDC-|essu_ [\w+/=-]{40,}
  4b1d [A-Za-z0-9]{38}(?!\w)
  ABSK [\w+/]{100,}
  ops_eyJ|fio-u-|bedrock-api-key- [\w+/=-]{60,}
  LTAI [A-Za-z0-9]{16,26}(?!\w)
  SCW [A-Z0-9]{17}(?!\w)
  npm_ [A-Za-z0-9]{36}(?!\w)
  tk_ [A-Za-z0-9]{29}(?!\w)
  AKIA|ASIA|ABIA [0-9A-Z]{16}(?!\w)
  SK|AC [0-9a-f]{32}(?!\w)
`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(' ') as [words: string, run: string])

/** A key of another kind, which is only looked for where this sign is. */
interface Shape {
  readonly sign: string
  readonly pattern: RegExp
  readonly accept?: (value: string) => boolean
}

/** Keys without a space in them. All have a digit, unlike names of packages and classes that look similar. */
const inWords: readonly Shape[] = [
  { sign: 'sk-', pattern: /(?<![A-Za-z0-9])sk-[\w-]{20,}/g, accept: hasDigit },
  { sign: 'fk-', pattern: /(?<![A-Za-z0-9])fk-[\w-]{16,}/g, accept: hasDigit },
  {
    sign: 'pypi-',
    pattern: /(?<![A-Za-z0-9])pypi-[\w-]{30,}/g,
    accept: (key) => isMixed(key.slice(5)),
  },
  // A JWT, also an encrypted one, and one that was truncated.
  {
    sign: 'eyJ',
    pattern:
      /(?<![\w-])eyJ[\w-]{10,4000}\.(?:[\w-]{10,9000}\.[\w-]{5,9000}(?:\.[\w-]{1,9000}){0,2}|eyJ[\w-]{10,})/g,
  },
  // Discord bot tokens: an id in base64, a time, a signature.
  {
    sign: '.',
    pattern: /(?<![\w-])[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,}/g,
    accept: isMixed,
  },
  // Telegram bot tokens, alone or in a URL, where "bot" precedes them.
  {
    sign: ':',
    pattern: /(?<![A-Za-z0-9])(?:bot)?\d{6,12}:[\w-]{30,}/g,
    accept: (key) => key.includes(':AA') || isMixed(key.slice(key.indexOf(':'))),
  },
  // Client secrets of Microsoft Entra.
  { sign: 'Q~', pattern: /(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,}/g },
  // Airtable, Asana, Mailgun, Terraform, Mailchimp, New Relic, MaxMind, Azure DevOps
  { sign: 'pat', pattern: /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[a-f0-9]{64}[\w-]*/g },
  { sign: '/', pattern: /(?<![A-Za-z0-9])[12]\/\d{13,20}(?:\/\d{13,20})?:[a-f0-9]{32}[\w-]*/g },
  { sign: '-', pattern: /(?<![A-Za-z0-9])[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![\w-])/g },
  { sign: '.atlasv1.', pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}/g },
  { sign: '-us', pattern: /(?<![A-Za-z0-9])[a-f0-9]{32}-us\d{1,2}(?!\w)[\w-]*/g },
  { sign: 'NRAL', pattern: /(?<![A-Za-z0-9])[a-f0-9]{36}NRAL[\w-]*/g },
  { sign: '_mmk', pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk[\w-]*/g },
  { sign: 'AZDO', pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}[\w-]*/g },
]

/** Keys of more than one word, or of a few letters. */
const inText: readonly Shape[] = [
  {
    sign: '-----BEGIN ',
    pattern:
      /-----BEGIN (?![A-Z ]{0,40}PUBLIC )[A-Z ]{0,40}KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}KEY(?: BLOCK)?-----|$)/g,
  },
  // The end of one that was truncated at its start.
  {
    sign: '-----END ',
    pattern:
      /(?<![A-Za-z0-9+/=]{30}\s{1,2})(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/=]{30,100}\s{1,2}){1,100}(?:[A-Za-z0-9+/=]{1,100}\s{1,2})?-----END (?![A-Z ]{0,40}PUBLIC )[A-Z ]{0,40}KEY(?: BLOCK)?-----/g,
  },
  // The private part of a key of PuTTY. Its lines end with the next line that has a name.
  {
    sign: 'Private-Lines',
    pattern:
      /(?<=Private-Lines:\s{0,3}\d{1,4}\s{1,30})(?:[A-Za-z0-9+/=]{1,100}(?![\w:-])\s{0,30}){1,1000}/g,
  },
  // A JWT that a terminal wrapped: its lines contain nothing else.
  {
    sign: 'eyJ',
    pattern: new RegExp(
      String.raw`(?<![\w-])eyJLINES(?:BREAK)?\.(?:BREAK)?eyJLINES(?:BREAK)?\.(?:BREAK)?[\w-]{10,1000}(?:BREAK[\w-]{20,1000}){0,20}`
        .replaceAll('LINES', String.raw`[\w-]{1,1000}(?:BREAK[\w-]{1,1000}){0,20}`)
        .replaceAll('BREAK', String.raw`\r?\n[ \t]{0,20}`),
      'g',
    ),
  },
  // The path of a webhook is its password.
  {
    sign: 'https://',
    pattern:
      /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,3}\/)?webhooks|[\w-]{1,63}\.webhook\.office\.com|outlook\.office\.com\/webhook|hooks\.zapier\.com\/hooks\/catch)\/[\w/@.-]+/g,
  },
  // token@host
  { sign: 'https://', pattern: /(?<=https:\/\/)[\w.~%+-]{20,1000}(?=@)/g, accept: hasDigit },
  // https://a1b2c3:x-oauth-basic@github.com
  { sign: '://', pattern: /(?<=:\/\/)\w{20,100}(?=:[^\s/@]{0,40}(?:@|$))/g, accept: isGenerated },
  // user:password@host of a URL: the password, which is no $PASSWORD, ${PASSWORD}, {password}, <password>.
  {
    sign: '://',
    pattern: /(?<=:\/\/[^\s/:@'"()?]{0,100}:)[^\s/@'"]{1,1000}(?:@[^\s/@'"]{1,200}){0,2}(?=@)/g,
    accept: (value) =>
      !/^(?:\$(?:[A-Z_][A-Z\d_]*|[A-Za-z_]*(?:[Pp]ass|[Pp]w|[Tt]oken|[Ss]ecret|[Kk]ey)[A-Za-z_]*)|\$?\{+[^{}]*\}+|<[^<>]*>|%\w+%)$/.test(
        value,
      ),
  },
  // jdbc:oracle:thin:scott/tiger@host
  { sign: 'jdbc:oracle:', pattern: /(?<=jdbc:oracle:\w{1,10}:\w{1,40}\/)[^\s/@'"]{1,100}(?=@)/g },
  // Hashes of passwords, as in /etc/shadow.
  {
    sign: '$',
    pattern:
      /\$(?:(?:apr1|sha1|[1567y])\$[\w./=]{1,30}|2[abxy]\$\d\d|argon2(?:id?|d))\$[\w./+$=,]{16,}/g,
  },
  { sign: 'SHA}', pattern: /\{S?SHA\}[\w+/]{27,100}={0,2}/g },
]

const SIGNS = /-----|Private-Lines|eyJ|:\/\/|\$|SHA}|jdbc/
/** A word with none of these has no fixed key: looking for them is quick, while compiling all the runs is not. */
const SIGN = new RegExp(`${START}(?:${lines.map(([words]) => words).join('|')})`)
const LONG_WORD = /(?<!\S)\S{15,}/g
let fixedKeys: RegExp | undefined

/** Where keys of well-known kinds are. */
export function keysIn(text: string): Range[] {
  const found = SIGNS.test(text) ? shapesIn(text, inText) : []
  LONG_WORD.lastIndex = 0
  for (let match = LONG_WORD.exec(text); match; match = LONG_WORD.exec(text)) {
    const { 0: word, index } = match
    const keys = hasDigit(word) ? shapesIn(word, inWords) : []
    if (SIGN.test(word)) keys.push(...matchesOf(allFixedKeys(), word))
    for (const [start, end] of keys) found.push([index + start, index + end])
  }
  return found
}

/** A key extends to the end of its run, so that no other key begins right after it. */
function allFixedKeys(): RegExp {
  const keys = lines.map(([words, run]) => `(?:${words})${run}`).join('|')
  fixedKeys ??= new RegExp(String.raw`${START}(?:${keys})[\w-]*`, 'g')
  return fixedKeys
}

function shapesIn(text: string, shapes: readonly Shape[]): Range[] {
  const found: Range[] = []
  for (const { sign, pattern, accept } of shapes) {
    if (!text.includes(sign)) continue
    for (const [start, end] of matchesOf(pattern, text)) {
      if (!accept || accept(text.slice(start, end))) found.push([start, end])
    }
  }
  return found
}

function hasDigit(value: string): boolean {
  return /\d/.test(value)
}
