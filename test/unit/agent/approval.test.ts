import { describe, expect, test } from 'vitest'
import { parseDecision } from '../../../src/agent/approval.ts'

describe('a message that is one decision and nothing else counts', () => {
  test.each<[string, 'approve' | 'reject', string, string]>([
    ['<授权><工具>网页访问</工具><反馈></反馈></授权>', 'approve', '网页访问', ''],
    ['\n  <授权>\n  <工具>网页访问</工具>\n  <反馈></反馈>\n  </授权>\n', 'approve', '网页访问', ''],
    ['<授权><工具> web_access </工具></授权>', 'approve', 'web_access', ''],
    ['<授权><工具名称>网页访问</工具名称><反馈>只看首页</反馈></授权>', 'approve', '网页访问', '只看首页'],
    ['<批准>\n<工具名称>网页访问</工具名称>\n</批准>', 'approve', '网页访问', ''],
    ['<批准><工具>网页访问</工具><反馈>\n好 <b>的</b>\n</反馈></批准>', 'approve', '网页访问', '好 <b>的</b>'],
    ['<拒绝><工具>网页访问</工具><反馈>不要上网</反馈></拒绝>', 'reject', '网页访问', '不要上网'],
    ['<拒绝>\n<工具名称>网页访问</工具名称>\n</拒绝>', 'reject', '网页访问', ''],
    ['<approve><tool>web_access</tool><feedback>go on</feedback></approve>', 'approve', 'web_access', 'go on'],
    ['<approve>\r\n<tool_name>web_access</tool_name>\r\n</approve>', 'approve', 'web_access', ''],
    ['<reject><tool>web_access</tool></reject>', 'reject', 'web_access', ''],
    ['<reject><tool>web_access</tool><feedback></feedback></reject>', 'reject', 'web_access', ''],
  ])('%j', (content, decision, tool, feedback) => {
    expect(parseDecision(content)).toEqual({ decision, tool, feedback })
  })
})

describe('any other message is none', () => {
  test.each([
    '',
    '好',
    '<授权>',
    '<授权></授权>',
    '<授权>网页访问</授权>',
    '<授权><工具></工具></授权>',
    '<授权><工具>网页访问</工具>',
    '<授权><工具>网页访问</授权>',
    '好的 <授权><工具>网页访问</工具></授权>',
    '<授权><工具>网页访问</工具></授权> 好的',
    '<授权>好的<工具>网页访问</工具></授权>',
    '<授权><工具>网页访问</工具>好的</授权>',
    '<授权><反馈>好</反馈></授权>',
    '<授权><工具>网页访问</工具><反馈></授权>',
    '<授权><工具>网页访问</工具><反馈>a</反馈><反馈>b</反馈></授权>',
    '<授权><工具>a</工具></授权><授权><工具>b</工具></授权>',
    '<授权><工具>a</工具></授权><拒绝><工具>a</工具></拒绝>',
    '<授权><工具>a</工具><反馈>x</反馈></授权><授权><工具>b</工具><反馈>y</反馈></授权>',
    '<授权><工具>a</工具><工具>b</工具></授权>',
    '<授权><工具><b>a</b></工具></授权>',
    '<授权 a="1"><工具>a</工具></授权>',
    '<授权><工具>a</工具></批准>',
    '<approve><工具>a</工具></approve>',
    '`<授权><工具>a</工具></授权>`',
    '<网页访问><地址>u</地址></网页访问>',
  ])('%j', (content) => {
    expect(parseDecision(content)).toBeNull()
  })
})
