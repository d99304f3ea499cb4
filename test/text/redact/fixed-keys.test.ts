import { describe, expect, it } from 'vitest'
import { redact } from '../../../src/text/redact/redact.ts'
import { mayMatch } from '../../../src/text/redact/secret-shape.ts'
import { groups } from '../../../src/text/redact/secret-shapes.ts'

const repeated = (characters: string, length: number) =>
  characters.repeat(Math.ceil(length / characters.length)).slice(0, length)

const hex = (length: number) => repeated('0a1b2c3d4e5f6789', length)
const any = (length: number) => repeated('a0Bc1De2Fg3Hi4Jk5', length)
const lower = (length: number) => repeated('a0bc1de2fg3hi4jk5', length)
const upper = (length: number) => repeated('A0BC1DE2FG3HI4JK5', length)
const uuid = '0a1b2c3d-4e5f-4789-a01b-2c3d4e5f6789'

/** Keys are assembled at run time, so that secret scanners do not report this file. */
const keys: Readonly<Record<string, string>> = {
  adobe: `p8e-${lower(32)}`,
  airtable: `pat${any(14)}.${hex(64)}`,
  alibaba: `LTAI${any(20)}`,
  apify: `apify_api_${any(36)}`,
  artifactory: `AKCp8${any(68)}`,
  artifactoryReference: `cmVmdGtu${any(56)}`,
  asanaShort: `1/1234567890123456:${hex(32)}`,
  asana: `2/1234567890123456/1234567890123456:${hex(32)}`,
  authress: `sc_${lower(20)}.${lower(5)}.acc_${lower(20)}.${any(40)}`,
  azureDevops: `${any(76)}AZDO${any(4)}`,
  bedrock: `ABSK${any(120)}`,
  bedrockShort: `bedrock-api-key-${any(100)}`,
  bitbucket: `ATBB${any(32)}`,
  bitbucketServer: `BBDC-${any(44)}`,
  brave: `BSA${any(28)}`,
  brevo: `xsmtpsib-${hex(64)}-${any(16)}`,
  buildkite: `bkua_${hex(40)}`,
  cargo: `cio${any(32)}`,
  cerebras: `csk-${lower(48)}`,
  circleci: `CCIPAT_${any(22)}_${hex(40)}`,
  clickhouse: `4b1d${any(38)}`,
  clickup: `pk_12345678_${upper(32)}`,
  clojars: `CLOJARS_${lower(60)}`,
  cloudflare: `cfut_${any(40)}${hex(8)}`,
  cloudflareAccount: `cfat_${any(40)}${hex(8)}`,
  cloudflareOrigin: `v1.0-${hex(24)}-${hex(146)}`,
  confluent: `cflt${any(60)}`,
  contentful: `CFPAT-${any(43)}`,
  cursor: `crsr_${hex(64)}`,
  cursorOld: `key_${hex(64)}`,
  definedNetworking: `dnkey-${lower(26)}-${lower(52)}`,
  doppler: `dp.pt.${any(43)}`,
  dopplerService: `dp.st.dev.${any(43)}`,
  dropbox: `sl.${any(130)}`,
  duffel: `duffel_live_${any(43)}`,
  dynatrace: `dt0c01.${upper(24)}.${upper(64)}`,
  e2b: `e2b_${hex(40)}`,
  easypost: `EZAK${lower(54)}`,
  elastic: `essu_${any(60)}`,
  elevenlabs: `sk_${hex(48)}`,
  facebook: `EAAC${any(150)}`,
  fireworks: `fw_${any(24)}`,
  firecrawl: `fc-${hex(32)}`,
  flutterwave: `FLWSECK_TEST-${hex(32)}-X`,
  fly: `fo1_${any(43)}`,
  flyMacaroon: `fm2_${any(150)}`,
  frameio: `fio-u-${any(64)}`,
  gitlabFeatureFlags: `glffct-${any(20)}`,
  gitlabOauth: `gloas-${any(64)}`,
  gitlabRunner: `GR1348941${any(20)}`,
  gemini: `AQ.Ab8RN6${any(44)}`,
  googleRefresh: `1//0${any(60)}`,
  grafana: `eyJrIjoi${any(90)}`,
  harness: `pat.${any(22)}.${hex(24)}.${any(20)}`,
  heroku: `HRKU-AA${any(58)}`,
  hubspot: `pat-na1-${uuid}`,
  huggingFaceOrganization: `api_org_${repeated('abcXYZ', 34)}`,
  infracost: `ico-${any(32)}`,
  intra42: `s-s4t2ud-${hex(64)}`,
  jina: `jina_${any(60)}`,
  jsr: `jsrp_${any(40)}`,
  langsmith: `lsv2_pt_${hex(32)}_${hex(10)}`,
  launchdarkly: `sdk-${uuid}`,
  mailchimp: `${hex(32)}-us20`,
  mailersend: `mlsn.${hex(64)}`,
  mailgunNew: `${hex(32)}-0a1b2c3d-4e5f6789`,
  mailgun: `key-${hex(32)}`,
  mapbox: `sk.eyJ1Ijoi${any(50)}.${any(22)}`,
  maxmind: `${any(6)}_${any(29)}_mmk`,
  neon: `napi_${lower(64)}`,
  netlify: `nfp_${any(36)}`,
  newRelicInsert: `NRII-${any(32)}`,
  newRelicLicense: `${hex(36)}NRAL`,
  newRelicUser: `NRAK-${upper(27)}`,
  notion: `secret_${any(43)}`,
  ntfy: `tk_${any(29)}`,
  nuget: `oy2${lower(43)}`,
  nvidia: `nvapi-${any(64)}`,
  octopus: `API-${upper(26)}`,
  onePassword: `ops_eyJ${any(300)}`,
  openshift: `sha256~${any(43)}`,
  paddle: `pdl_live_apikey_${lower(26)}_${any(22)}_${any(3)}`,
  perplexity: `pplx-${any(48)}`,
  pinecone: `pcsk_${any(6)}_${any(63)}`,
  plaid: `access-sandbox-${uuid}`,
  planetscale: `pscale_pw_${any(43)}`,
  polar: `polar_oat_${any(43)}`,
  posthog: `phx_${any(43)}`,
  prefect: `pnu_${any(36)}`,
  pulumi: `pul-${hex(40)}`,
  readme: `rdme_${lower(70)}`,
  render: `rnd_${any(28)}`,
  replicate: `r8_${any(37)}`,
  resend: `re_${any(8)}_${any(24)}`,
  scaleway: `SCW${upper(17)}`,
  scalingo: `tk-us-${any(48)}`,
  settlemint: `sm_aat_${any(16)}`,
  shippo: `shippo_live_${hex(40)}`,
  slackCookie: `xoxd-${any(20)}%2B${any(20)}%3D%3D`,
  snyk: `snyk_uat.${any(8)}.${any(60)}`,
  sonar: `squ_${hex(40)}`,
  sourcegraph: `sgp_${hex(16)}_${hex(40)}`,
  square: `sq0csp-${any(43)}`,
  stripeOrganization: `sk_org_live_${any(40)}`,
  supabase: `sbp_${hex(40)}`,
  supabaseSecret: `sb_secret_${any(22)}_${any(8)}`,
  tavily: `tvly-dev-${any(32)}`,
  telnyx: `KEY0${upper(32)}_${any(22)}`,
  terraform: `${any(14)}.atlasv1.${any(67)}`,
  typeform: `tfp_${any(44)}_${any(14)}`,
  vercel: `vcp_${any(56)}`,
  vercelGateway: `vck_${any(56)}`,
  vercelBlob: `vercel_blob_rw_${any(16)}_${any(30)}`,
  wandb: `wandb_v1_${any(77)}`,
  yandex: `AQVN${any(36)}`,
  yandexIam: `t1.${any(60)}.${any(86)}`,
}

describe('keys with a fixed word in them', () => {
  it.each(Object.entries(keys))('are removed, such as one of %s', (_, key) => {
    for (const [before, after] of [
      ['I called it with ', ' and it answered'],
      ['{"text":"', '"}'],
      ['`', '`'],
      ['\n', '\n'],
    ]) {
      expect(redact(before + key + after)).toBe(`${before}[redacted]${after}`)
    }
  })

  it.each([
    'key-value-store, sdk-for-python, API-DOCUMENTATION, access-control-list-and-more, pat-a-cake',
    `cache-${hex(32)}-us-east, sha256:${hex(64)}, v1.0-${hex(24)}, session ${uuid}`,
    `commit ${hex(40)}, blob 4b1d${hex(36)}, blob 4b1d${hex(60)}`,
    `SCWAVE, secret_${'name_of_it_'.repeat(6)}, re_export_all_of_the_names, napi_create_function`,
    `-----BEGIN CERTIFICATE-----\n${`${any(64)}\n`.repeat(4)}-----END CERTIFICATE-----`,
    `data:image/png;base64,iVBORw0KGgo${any(600)}`,
    `data:application/wasm;base64,AGFzbQ${any(60)}/EAAAoBUAACM${any(60)}`,
  ])('are not found in %j', (text) => {
    expect(redact(text)).toBe(text)
  })

  it.each([
    'npx vitest run src/components/checkout/Payment.test.tsx --reporter=verbose',
    'All 12 tests pass, see [the notes](docs/notes-of-the-parser.md): 100% of the parts are done.',
  ])('are not searched for in a text with none of the words, such as %j', (text) => {
    const looked = groups.filter((group) => mayMatch(group, text) && (group.gate?.(text) ?? true))
    const patterns = looked.flatMap(({ shapes }) => shapes.map(({ pattern }) => pattern.source))
    expect(patterns.filter((source) => source.includes('github_pat_'))).toEqual([])
  })
})
