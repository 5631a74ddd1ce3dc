import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { ToolContext, ToolOutcome, ToolQuestion } from '../domain/tool.ts'
import type { WantedConnection } from '../domain/wanted-connection.ts'
import { describeSecretProblem, type SecretProblem } from '../net/secrets.ts'

const TEXTS = {
  'zh-CN': {
    grant: (name: string, origin: string, url: string) =>
      `这次调用需要你授权连接 ${name}（${origin}）。请打开下面的地址完成授权，任务随后自动继续：\n${url}`,
    secret: (name: string, origin: string, user: string) =>
      `这次调用需要用户 ${user} 的连接 ${name}（${origin}）。请在控制台填写，或请管理员用 POST /v1/connections（带 user）保存它，任务随后自动继续。不要在回答中写出密钥。`,
    declined: (name: string) => `用户没有提供连接 ${name}；没有发送请求。`,
  },
  en: {
    grant: (name: string, origin: string, url: string) =>
      `This call needs your authorisation of the connection ${name} (${origin}). Open the address below and authorise it; the run then goes on by itself:\n${url}`,
    secret: (name: string, origin: string, user: string) =>
      `This call needs the connection ${name} (${origin}) of the user ${user}. Give it in the console, or have an administrator keep it (POST /v1/connections with user); the run then goes on by itself. Do not write the secret into the answer.`,
    declined: (name: string) => `The user did not give the connection ${name}; nothing was sent.`,
  },
} as const satisfies Record<Language, unknown>

type Asker = Pick<ToolContext, 'language' | 'user' | 'sessionId' | 'by'>

/** What a user is asked for whose secret cannot be filled in; null: it is not theirs to give. */
export async function secretQuestion(
  problem: SecretProblem,
  { language, user, sessionId, by }: Asker,
): Promise<Omit<ToolQuestion, 'state'> | null> {
  if (problem.code !== 'wanted' || user === null) return null
  const { name, origin, wants, authorize } = problem
  const url = (await authorize?.({ user, sessionId, by, language })) ?? null
  const texts = TEXTS[language]
  const question = url === null ? texts.secret(name, origin, user) : texts.grant(name, origin, url)
  const connection: WantedConnection = {
    of: 'connection',
    name,
    origin,
    wants,
    user,
    ...(url === null ? {} : { authorize_url: url }),
  }
  return { question, options: null, connection }
}

/** The outcome of a call whose secret cannot be filled in: what a user gives is asked for, and with it the call is made again. */
export async function lackingSecret(problem: SecretProblem, context: ToolContext): Promise<ToolOutcome> {
  const { language, answer } = context
  if (answer?.declined && problem.code === 'wanted')
    return { ok: false, reason: TEXTS[language].declined(problem.name) }
  const asked = answer === null ? 0 : Number(answer.state)
  const question = asked >= LIMITS.mcp.roundsMax ? null : await secretQuestion(problem, context)
  if (question === null) return { ok: false, reason: describeSecretProblem(problem, language) }
  return { ok: false, reason: question.question, asks: { ...question, state: String(asked + 1) } }
}
