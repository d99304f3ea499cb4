import { testRedaction } from './redaction-suite.ts'

const secret = [
  "+ const apiKey = process.env.API_KEY || '«a1b2c3d4e5f6»'",
  'const key = process.env.API_KEY ?? "«a1b2c3d4e5f6»"',
  'password = os.getenv("DB_PASSWORD", "«hunter22»")',
  'os.environ["OPENAI_API_KEY"] = "«a1b2c3d4e5f6»"',
  "os.environ['DB_PASSWORD'] = '«hunter»'",
  "process.env.DB_PASSWORD = '«hunter»'",
  "ENV['API_KEY'] = '«a1b2c3d4e5f6»'",
  "define('DB_PASSWORD', '«hunter22»');",
  "$config['password'] = '«hunter22»';",
  'requests.get(url, auth=("me", "«hunter»"))',
  'smtp.login("me@example.com", "«hunter»")',
  'spring.datasource.password=«hunter»\nspring.datasource.user=me',
  'curl https://«abcdef0123456789abcd»:@github.com',
  "new Client({ user: 'me', host: 'h', database: 'd', password: '«hunter»', port: 5432 })",
  'pw = "«hunter22»"',
  "pw: '«hunter22»'",
  'PW=«hunter» ./run; ADMIN_PW=«hunter» ./run',
]

/** Code without secrets. */
const harmless = [
  "const { password, token } = form; ['password', 'username'].map(read)",
  "const token = process.env.TOKEN ?? ''; const key = options.key || 'default'",
  "process.env.DB_PASSWORD = 'string'; process.env.TOKEN = process.env.OTHER",
  'os.environ["API_KEY"] = api_key',
  "t('auth.password', 'Password'), translate('token', 'app-v2')",
  "router.get('/login', (request) => login('user', password))",
  'form.password=value.trim() && user.settings.password=hash;',
  'https://abcdef0123456789abcd.example.com:8080/a@b',
]

testRedaction('source code', { secret, harmless })
