import { describe, expect, test } from 'vitest'
import {
  toolFailureText,
  notRunText,
  problemText,
  resultText,
  severalCallsText,
  tooManyFailuresText,
  withFeedback,
  type NotRun,
} from '../../../src/agent/texts.ts'
import type { Problem } from '../../../src/domain/event.ts'
import { TOOLS } from './example-tools.ts'

test.each<[string, string, string]>([
  ['no tool', problemText({ code: 'no_tool_called' }, TOOLS, 'zh-CN'), '[警告]每次回复至少调用一个工具！'],
  [
    'no tool, en',
    problemText({ code: 'no_tool_called' }, TOOLS, 'en'),
    '[Warning] Every reply must call at least one tool!',
  ],
  ['unknown tool', problemText({ code: 'unknown_tool', name: '天气' }, TOOLS, 'zh-CN'), '[警告]工具"天气"不存在！'],
  [
    'unknown tool, en',
    problemText({ code: 'unknown_tool', name: 'x' }, TOOLS, 'en'),
    '[Warning] Tool "x" does not exist!',
  ],
  ['too many', tooManyFailuresText('zh-CN', true), '[警告]连续多次调用工具失败，请检查你的工具调用是否正确！'],
  [
    'too many, en',
    tooManyFailuresText('en', true),
    '[Warning] Too many failed tool calls in a row, please check your tool calls!',
  ],
  ['content', resultText('网页访问', '正文', 'zh-CN'), '[网页访问]的内容：\n\n正文'],
  ['content, en', resultText('web_access', 'text', 'en'), '[web_access] content:\n\ntext'],
  ['done', resultText('完成会话', null, 'zh-CN'), '[完成会话]执行成功。'],
  ['done, en', resultText('finish', null, 'en'), '[finish] done.'],
  ['failed', toolFailureText('网页访问', 'HTTP 404', 'zh-CN'), '[网页访问]执行失败：HTTP 404'],
  ['failed, en', toolFailureText('web_access', 'HTTP 404', 'en'), '[web_access] failed: HTTP 404'],
])('%s is the fixed text', (_, text, expected) => {
  expect(text).toBe(expected)
})

const BAD: Problem = {
  code: 'bad_parameters',
  tool: 'web_access',
  errors: [
    { path: '地址', expected: '必填，文本' },
    { path: '页码', expected: '整数' },
  ],
}

describe('in both languages', () => {
  test('bad parameters name the tool, each parameter and what was expected', () => {
    expect(problemText(BAD, TOOLS, 'zh-CN')).toBe(
      '[警告]工具"网页访问"的参数有误：“地址”应为：必填，文本；“页码”应为：整数。请改正后重新调用！',
    )
    expect(problemText(BAD, TOOLS, 'en')).toMatch(/^\[Warning\] Bad parameters for tool "web_access": "地址" must be: /)
  })

  test('calls that were not run are counted', () => {
    expect(severalCallsText('网页访问', 2, 'zh-CN')).toMatch(/^\[警告\].*网页访问.*2/)
    expect(severalCallsText('web_access', 2, 'en')).toMatch(/^\[Warning\].*web_access.*2/)
  })

  test.each<NotRun>(['refused', 'expired', 'interrupted', 'cancelled', 'denied'])(
    '%s is a failure of its own',
    (why) => {
      const texts = (['zh-CN', 'en'] as const).map((language) => notRunText('finish', why, language, ' 理由 '))
      expect(texts[0]).toMatch(/^\[finish\]执行失败：.+\n\n用户的反馈：理由$/s)
      expect(texts[1]).toMatch(/^\[finish\] failed: .+\n\nThe user's feedback: 理由$/s)
    },
  )

  test('feedback goes behind a result, and none adds nothing', () => {
    expect(withFeedback('[finish] done.', 'nice', 'en')).toBe("[finish] done.\n\nThe user's feedback: nice")
    expect(withFeedback('[finish] done.', ' ', 'en')).toBe('[finish] done.')
    expect(withFeedback('[finish] done.', null, 'en')).toBe('[finish] done.')
  })

  test('a name of any length is cut', () => {
    expect(problemText({ code: 'unknown_tool', name: 'x'.repeat(9_999) }, TOOLS, 'en').length).toBeLessThan(300)
  })
})
