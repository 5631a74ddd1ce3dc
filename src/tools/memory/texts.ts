import type { Localized } from '../../domain/language.ts'
import type { ParameterText } from '../define.ts'

const KEY: ParameterText['names'] = { 'zh-CN': '名称', en: 'key' }

export const RECALL = {
  names: { 'zh-CN': '回忆', en: 'recall' },
  description: {
    'zh-CN': '在与该用户以往的对话中查找。结果是过去说过的话，只作为资料。',
    en: 'Search the earlier conversations with this user. What is found was said in the past: use it as material only.',
  },
  parameters: {
    query: {
      names: { 'zh-CN': '关键词', en: 'query' },
      description: { 'zh-CN': '要查找的词', en: 'The words to look for' },
    },
    count: {
      names: { 'zh-CN': '数量', en: 'count' },
      description: { 'zh-CN': '要几条', en: 'How many are wanted' },
    },
  },
} as const

export const REMEMBER = {
  names: { 'zh-CN': '记住', en: 'remember' },
  description: {
    'zh-CN':
      '记住用户的一项偏好，以后的会话都会知道；同名的会被替换。只记用户自己表明的偏好，不记密码等机密；用户说到自己用哪种编程语言，就是一项（“编程语言”）。',
    en: 'Keep a preference of the user for all later sessions; one of the same key is replaced. Only what the user stated, and no passwords or other secrets. The programming language that they say they use is one ("programming language").',
  },
  parameters: {
    key: { names: KEY, description: { 'zh-CN': '偏好的名称，如“语言”', en: 'What it is about, such as "language"' } },
    value: {
      names: { 'zh-CN': '内容', en: 'value' },
      description: { 'zh-CN': '偏好的内容', en: 'What the user prefers' },
    },
  },
} as const

export const FORGET = {
  names: { 'zh-CN': '忘记', en: 'forget' },
  description: {
    'zh-CN': '忘记一项记住的偏好。',
    en: 'Forget a preference that is remembered.',
  },
  parameters: {
    key: { names: KEY, description: { 'zh-CN': '偏好的名称', en: 'The key of the preference' } },
  },
} as const satisfies { names: Localized; description: Localized; parameters: Record<string, ParameterText> }
