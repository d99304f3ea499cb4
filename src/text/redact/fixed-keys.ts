/** Not within a word: `risk-based` has no `sk-` key. */
export const START = '(?<![A-Za-z0-9])'

/**
 * Keys that begin with one of some words, followed by a run of characters. Each line has the words, a space and the
 * pattern of the run. Most are in the rules of gitleaks:
 * https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml
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
  AQ\. (?=[A-Za-z_-]*\d)[\w-]{30,}
  1//0|nvapi-|PMAK-|xkeysib-|xsmtpsib-|fo1_ [\w-]{40,}
  SG\. [\w-]{16,}\.[\w-]{16,}
  hf_|jsrp_ [A-Za-z0-9]{30,}
  api_org_ [A-Za-z]{34}
  shpat_|shpca_|shppa_|shpss_ [A-Fa-f0-9]{32,}
  doo_v1_|dop_v1_|dor_v1_|rubygems_|mlsn\. [a-f0-9]{40,}
  dapi [a-f0-9]{32,}(?:-\d)?
  AGE-SECRET-KEY-1 [A-Z0-9]{40,}
  gsk_|xai-|pplx-|jina_|ntn_|phx_|pha_ [A-Za-z0-9]{40,}
  csk-|CLOJARS_|napi_|rdme_ [a-z0-9]{40,}
  tvly-|sb_secret_ [\w-]{28,}
  fc- [a-f0-9]{32}
  pcsk_|wandb_v1_|CCIPAT_|CCIPRJ_|pdl_live_apikey_|pdl_sdbx_apikey_ \w{40,}
  r8_ [A-Za-z0-9]{37}
  e2b_|pul-|sqa_|sqp_|squ_|bkua_|bkct_|bkaj_|shippo_live_|shippo_test_ [a-f0-9]{40}
  lsv2_pt_|lsv2_sk_ [a-f0-9]{32}_[a-f0-9]{10}
  glsa_|glc_|sntryu_|sntrys_ [\w=+/]{30,}
  eyJrIjoi [\w=]{60,}
  ATATT|ATCTT|dnkey-|duffel_live_|duffel_test_|tfp_ [\w=-]{40,}
  ATBB|rnd_ [A-Za-z0-9]{28,}
  BBDC- [\w+/]{40,}
  secret_ [A-Za-z0-9]{43}(?!\w)
  oy2 [a-z0-9]{43}(?!\w)
  cio|ico- [A-Za-z0-9]{32}(?!\w)
  key-|pubkey- [a-f0-9]{32}(?!\w)
  key_ [a-f0-9]{64}(?!\w)
  sk_ [a-f0-9]{48}(?!\w)
  re_ [A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?!\w)
  fm1|fm2 [ar]?_[\w+/=]{60,}
  HRKU- [\w-]{36,}
  nfp_ [A-Za-z0-9]{36,}
  vcp_|vci_|vca_|vcr_|vck_ [A-Za-z0-9]{24,}
  cfk_|cfut_|cfat_ [A-Za-z0-9]{40,}
  crsr_ [A-Za-z0-9]{32,}
  fw_ (?=[A-Za-z]*\d)[A-Za-z0-9]{22,}(?!\w)
  BSA (?=[A-Za-z_-]*\d)[\w-]{26,29}(?![\w-])
  vercel_blob_rw_ \w{30,}
  pscale_pw_|pscale_tkn_|pscale_oauth_|pscale_api_ [\w.=-]{32,}
  sbp_ (?:oauth_)?[a-f0-9]{40}
  pnu_|pnb_|apify_api_ [A-Za-z0-9]{36}
  dp\. (?:pt|ct|sa|scim|audit|st(?:\.[\w-]{1,40})?)\.[A-Za-z0-9]{40,}
  ops_eyJ [\w+/=-]{60,}
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
  fio-u- [\w=-]{60,}
  sl\. (?:u\.)?[\w-]{100,}
  sk\.eyJ [\w-]{20,}\.[\w-]{20,}
  p8e- [a-z0-9]{32}
  tk-us- [\w-]{48}
  sm_aat_|sm_pat_|sm_sat_ [A-Za-z0-9]{16}
  s-s4t2ud-|s-s4t2af- [a-f0-9]{64}
  sc_|ext_|scauth_|authress_ [a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}
  KEY0 [A-Z0-9]{30,}_[A-Za-z0-9]{20,}
  t1\. [\w-]{10,1000}={0,2}\.[\w-]{86}
  AQVN [\w-]{35,}
  cflt [A-Za-z0-9+/]{60}
  essu_ [\w+/=-]{40,}
  4b1d [A-Za-z0-9]{38}(?!\w)
  ABSK [\w+/]{100,}
  bedrock-api-key- [\w+/=]{60,}
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

/** Keys with a word in another place, or with a word that alone is too short to look for. */
const others = String.raw`
  pat[A-Za-z0-9]{14}\.[a-f0-9]{64}
  [12]/\d{13,20}(?:/\d{13,20})?:[a-f0-9]{32}
  [a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![\w-])
  [A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}
  [a-f0-9]{32}-us\d{1,2}(?!\w)
  [a-f0-9]{36}NRAL
  [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk
  [A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}
`

/**
 * Keys of both kinds, each with a sign that a text may hold one: looking for it is quick, while compiling all the runs takes
 * longer than the rest for a short text. A key extends to the end of its run, so that no other key begins
 * right after it.
 */
export const fixedKeys: readonly { sign: RegExp; run: string }[] = [
  {
    sign: new RegExp(`${START}(?:${lines.map(([words]) => words).join('|')})`),
    run: String.raw`(?:${lines.map(([words, run]) => `(?:${words})${run}`).join('|')})[\w-]*`,
  },
  {
    sign: /pat\w{14}\.|-[a-f0-9]{8}-|[12]\/\d{13}|\.atlasv1\.|-us\d|NRAL|_mmk|AZDO/,
    run: String.raw`(?:${others.trim().split(/\s+/).join('|')})[\w-]*`,
  },
]
