import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, test } from 'vitest'
import type { AppError } from '../../../src/domain/errors.ts'
import { STATUS } from '../../../src/domain/errors.ts'
import { detailOf, problemBody, problemTitle } from '../../../src/domain/problem.ts'
import { describeAddressProblem } from '../../../src/net/outcome.ts'
import { parseExpression } from '../../../src/lib/expression.ts'
import { phraseInChinese, refusalInChinese } from '../../../src/http/refusal-words.ts'
import { whenOf } from '../../../src/triggers/schedule-spec.ts'
import { DETAILS_ZH, PHRASES_ZH } from '../../../src/http/refusal-phrases.ts'

const HAN = /\p{Script=Han}/u

/** An error of every code whose detail is made by `detailOf`, in each of its forms. */
const ERRORS: readonly AppError[] = [
  { code: 'no_user_message' },
  { code: 'unpriced_model', issues: [] },
  { code: 'unauthorized' },
  { code: 'bad_signature', reason: 'x' },
  { code: 'not_found', what: 'workflow' },
  { code: 'not_found', what: 'step a.b' },
  { code: 'not_found', what: 'task tsk_1' },
  { code: 'not_found', what: 'team', there: ['debate', 'software'] },
  { code: 'link_expired' },
  { code: 'method_not_allowed', allow: ['GET', 'PUT'] },
  { code: 'run_in_progress', runId: 'run_1' },
  { code: 'run_over', runId: 'run_1' },
  { code: 'unsupported_version', protocol: 'A2A', asked: '9', there: ['1.0'] },
  { code: 'nothing_to_continue', status: 'completed' },
  { code: 'nothing_to_continue', status: 'failed', task: 'tsk_1' },
  { code: 'nothing_to_continue', status: 'running', step: 'a' },
  { code: 'nothing_to_continue', status: 'rolled_back', step: 'a' },
  { code: 'nothing_to_continue', status: 'not_kept', step: 'a' },
  { code: 'stale_decision', pendingId: 'pnd_1' },
  { code: 'session_completed' },
  { code: 'needs_newer' },
  { code: 'queue_full', messagesMax: 5 },
  { code: 'webhook_disabled' },
  { code: 'already_exists', what: 'skill' },
  { code: 'too_many', what: 'keys', max: 5 },
  { code: 'job_in_progress', jobId: 'job_1', type: 'user_export' },
  { code: 'idempotency_key_reused' },
  { code: 'idempotency_in_progress' },
  { code: 'precondition_failed', etag: '"3"' },
  { code: 'precondition_failed', etag: '', what: 'settings' },
  { code: 'unsupported_transport' },
  { code: 'body_too_large', bytesMax: 5 },
  { code: 'headers_too_large', bytesMax: 5 },
  { code: 'unsupported_media_type', expected: 'application/json' },
  { code: 'not_acceptable', there: ['a/b', 'c/d'] },
  { code: 'upgrade_required' },
  { code: 'not_configured', lacks: 'key' },
  { code: 'not_configured', lacks: 'secret' },
  { code: 'not_configured', lacks: 'secrets_key' },
  { code: 'rate_limited', what: 'requests of a key a minute', max: 5, retryAfterMs: 1_000 },
  { code: 'internal_error' },
  { code: 'unavailable' },
  { code: 'storage_failed' },
  { code: 'audit_unavailable' },
  { code: 'issuer_unavailable' },
]
const SAID_BY_WHO_REFUSES = ['invalid_input', 'forbidden', 'workspace_full']

/** Folders whose words are no refusals of our own API: those of people's own tools, of doors, and of our document. */
const ELSEWHERE = /^src\/(?:cli|console|reader|react|client|build|doors|telemetry|http\/openapi)\//

/** Texts as they are written where something is refused. */
const WRITTEN = [
  /\b(?:message|error)(?::|\s=)\s*(['`])((?:\\.|(?!\1)[^\\])*)\1/g,
  /\b(?:lacking|unreadable|refuse)\((?:'[a-z_]+',\s*)?(['`])((?:\\.|(?!\1)[^\\])*)\1/g,
  /\.(?:regex|refine|min|max|length)\([^'\n]*,\s*(')((?:\\.|[^'\\\n])*)'\)/g,
]

/** Frames of sockets are answered in English. */
const OF_FRAMES = /\bframe\b/i
/** What is said of the whole of an input. */
const DETAIL = /\binvalid\([^;]*?,\s*(['`])([A-Z](?:\\.|(?!\1)[^\\])*)\1/g

const sources = (): string[] =>
  globSync('src/**/*.ts')
    .filter((file) => !ELSEWHERE.test(file))
    .map((file) => readFileSync(file, 'utf8'))

function writtenDetails(): string[] {
  const found = sources().flatMap((source) => [...source.matchAll(DETAIL)].map(([, , text = '']) => text))
  return [...new Set(found)].filter((text) => !text.includes('${') && !OF_FRAMES.test(text))
}

/** What the sources say where they refuse a field, a number in the place of what they fill in. */
function writtenMessages(): string[] {
  const found = sources().flatMap((source) =>
    WRITTEN.flatMap((pattern) => [...source.matchAll(pattern)].map(([, , text = '']) => text)),
  )
  const plain = found.map((text) => text.replaceAll(/\$\{[^{}]*\}/g, '7').replaceAll(/\\(.)/g, '$1'))
  return [...new Set(plain)].filter((text) => / /.test(text) && /[a-z]{2}|^a /.test(text) && !text.includes('${'))
}

const invalid = (detail: string, ...messages: string[]) =>
  refusalInChinese(
    problemBody(
      { code: 'invalid_input', detail, issues: messages.map((message) => ({ path: 'steps.0', message })) },
      'req_1',
    ),
  )

describe('a refusal in Chinese', () => {
  test('is there for every code', ({ expect }) => {
    const tried = new Set([...SAID_BY_WHO_REFUSES, ...ERRORS.map(({ code }) => code)])
    expect(Object.keys(STATUS).filter((code) => !tried.has(code))).toEqual([])
  })

  test.for(ERRORS)('says $code', (error, { expect }) => {
    const english = problemBody(error, 'req_1')
    const { title, detail, ...rest } = refusalInChinese(english)
    expect(title).toMatch(HAN)
    expect(title).not.toBe(problemTitle(error.code))
    expect(detail, detailOf(error)).toMatch(HAN)
    expect(detail).not.toContain('{}')
    expect(detail, 'a word that was not turned into Chinese').not.toMatch(/该[a-z]/)
    expect(english).toMatchObject(rest)
  })

  test.for(Object.entries({ ...PHRASES_ZH, ...DETAILS_ZH }))(
    'has a place for each text of: %s',
    ([en, zh], { expect }) => {
      expect(zh.split('{}').length - 1).toBe([...en.matchAll(/\{[nwp]?\}/g)].length)
      expect(zh).toMatch(HAN)
    },
  )

  test('is there for all that the sources say of a field', ({ expect }) => {
    const messages = writtenMessages()
    expect(messages.length).toBeGreaterThan(150)
    const english = messages.filter((message) => !HAN.test(invalid('x', message).errors?.[0]?.message ?? ''))
    expect(english).toEqual([])
  })

  test.for([
    'agent: plan needs a session (POST /v1/sessions)',
    'none with orchestrator plan; it goes with agent, route',
    'nothing: the run waits for a human, and this message decides',
    'queue or interrupt: the steps of a workflow are declared, and none of them would hear the message',
    'workflow, or not given: a workflow is its own',
    'team, or not given: a team brings its own',
    'another one: a team works in a stored session',
    'another path: an earlier file of the list has this one',
  ])('is there for what is chosen elsewhere: %s', (message, { expect }) => {
    expect(invalid('x', message).errors?.[0]?.message).toMatch(HAN)
  })

  test('is there for all that the sources say of an input', ({ expect }) => {
    const details = writtenDetails()
    expect(details.length).toBeGreaterThan(20)
    expect(details.filter((detail) => !HAN.test(invalid(detail, 'x').detail))).toEqual([])
  })

  test('says what the guard says, and what to write where', ({ expect }) => {
    const refused = describeAddressProblem('private', 'en')
    const opened = `${refused} To reach it, name 127.0.0.1:11434 in web.allow_private_hosts.`
    const { errors } = invalid('x', refused, opened)
    expect(errors?.map(({ message }) => message)).toEqual([
      describeAddressProblem('private', 'zh-CN'),
      `${describeAddressProblem('private', 'zh-CN')}要访问它，请在 web.allow_private_hosts 中写明 127.0.0.1:11434。`,
    ])
  })

  test('says what a validator says of arguments and answers, with a stop or without', ({ expect }) => {
    const { errors } = invalid(
      'The arguments do not fit the tool; see errors.',
      'Instance type "string" is invalid. Expected "integer"',
      'Instance does not have required property "b".',
      'not given: the schema takes nothing here',
      '0 is less than 1',
      'what fits the form: Instance does not match any of ["x","y"].',
    )
    expect(errors?.map(({ message }) => message)).toEqual([
      '应为整数，而不是文本',
      '缺少 b',
      '这里不应有内容',
      '至少应为 1，而不是 0',
      '应符合表单：应为其中之一："x"、"y"',
    ])
  })

  test('leaves no English between the names of an answer', ({ expect }) => {
    const { errors } = invalid('x', 'one of decision, result (of a tool_call) and error (of a tool_call)')
    expect(errors?.[0]?.message).not.toContain(' of ')
  })

  test('keeps names, paths and what others wrote', ({ expect }) => {
    const { detail, errors } = invalid(
      'The inputs do not fit the workflow; see errors.',
      'line 7: step say: unknown input how; there are name, to',
      'step w: Too big: expected string to have <=64 characters',
      'step w: "$& costs {}" at character 3 cannot be read: texts stand in quotes, signs are == != < <= > >=',
      'words that nobody translated',
    )
    expect(detail).toBe('输入不符合工作流的要求；见 errors。')
    expect(errors?.map(({ message }) => message)).toEqual([
      '第 7 行：步骤 say：未知输入 how；有 name, to',
      '步骤 w：过长：字符串最多 64 个字符',
      '步骤 w：无法识别“$& costs {}”（第 3 个字符）：文本要加引号，可用的符号有 == != < <= > >=',
      'words that nobody translated',
    ])
  })

  test.for(['', 'inputs.', 'a b', '(a', 'a[b]', 'a == ==', 'a + b', '{{ a }}', "a['b", 'a not b'])(
    'says what is wrong with the expression %s',
    (text, { expect }) => {
      const parsed = parseExpression(text)
      expect(phraseInChinese(parsed.ok ? '' : parsed.error)).toMatch(HAN)
    },
  )

  test('takes no long text apart', ({ expect }) => {
    const long = `unknown step ${'x'.repeat(5_000)}`
    expect(invalid('x', long).errors?.[0]?.message).toBe(long)
  })
})

/** What the schemas of a module say where a value does not fit, however deep they stand. */
function refusalsIn(one: unknown, found: Set<string>, seen: Set<unknown>): void {
  if (typeof one !== 'object' || one === null || seen.has(one)) return
  seen.add(one)
  const parts = definitionOf(one) ?? one
  if (parts === one && !Array.isArray(one) && Object.getPrototypeOf(one) !== Object.prototype) return
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === 'function' && name === 'error') {
      const said: unknown = part({ code: 'custom', path: [], input: undefined })
      if (typeof said === 'string') found.add(said)
    } else refusalsIn(typeof part === 'function' && name === 'getter' ? part() : part, found, seen)
  }
}

/** What zod has made of a schema or of a check of it; null: it is neither. */
function definitionOf(one: object): object | null {
  const inner: unknown = Reflect.get(one, '_zod')
  const definition: unknown = typeof inner === 'object' && inner !== null && 'def' in inner ? inner.def : null
  return typeof definition === 'object' ? definition : null
}

test('what a schema says of a field that does not fit has Chinese', async ({ expect }) => {
  const [found, seen] = [new Set<string>(), new Set<unknown>()]
  for (const file of globSync('src/domain/*.ts')) {
    const module: object = await import(`../../../src/domain/${basename(file, '.ts')}.ts`)
    refusalsIn(Object.values(module), found, seen)
  }
  expect(found.size).toBeGreaterThan(90)
  // Numbers are the same in both.
  expect([...found].filter((text) => /[a-z]/i.test(text) && phraseInChinese(text) === null)).toEqual([])
})

test('what is wrong with the time of a schedule is one sentence in Chinese', ({ expect }) => {
  for (const cron of ['daily', '61 * * * *', '* *', '0 0 31 2 *']) {
    const when = whenOf({ cron }, 'UTC', 0)
    const said = !when.ok && when.error.code === 'invalid_input' ? (when.error.issues ?? []) : []
    expect(said.map(({ path }) => path)).toEqual(['cron'])
    expect(phraseInChinese(said[0]?.message ?? '')).toMatch(/^[^A-Za-z]+$/)
  }
})
