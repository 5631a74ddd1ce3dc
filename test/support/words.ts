import type { Language } from '../../src/domain/language.ts'

const element = (outer: string, inner: Record<string, string>) =>
  `<${outer}>\n${Object.entries(inner)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('\n')}\n</${outer}>`

/** The fixed strings of the text protocol in one language, as people and models write them. */
export interface Words {
  language: Language
  task: string
  visit(url: string): string
  finish(reason: string): string
  rethink(reason: string): string
  ask(question: string): string
  names: { web_access: string; finish: string; rethink: string; ask: string }
  approvals: ((tool: string, feedback?: string) => string)[]
  refuse(tool: string, feedback: string): string
  content: string
  finished: string
  rethought: string
  failed: string
  noCall: string
  unknownTool(name: string): string
  stuck: string
  sections: string[]
  unlike: Language
}

const ZH: Words = {
  language: 'zh-CN',
  task: '读一读这个网页，说出要点',
  visit: (url) => element('网页访问', { 地址: url }),
  finish: (reason) => element('完成会话', { 理由: reason }),
  rethink: (reason) => element('再度思考', { 理由: reason }),
  ask: (question) => element('提问', { 问题: question }),
  names: { web_access: '网页访问', finish: '完成会话', rethink: '再度思考', ask: '提问' },
  approvals: [
    (tool, feedback = '') => `<授权><工具>${tool}</工具><反馈>${feedback}</反馈></授权>`,
    (tool) => `<批准>\n<工具名称>${tool}</工具名称>\n</批准>`,
    (tool) => `  <批准><工具>${tool}</工具></批准>\n`,
    (tool) => `\n<授权>\n  <工具名称>\n${tool}\n</工具名称>\n</授权>  `,
  ],
  refuse: (tool, feedback) => `<拒绝><工具>${tool}</工具><反馈>${feedback}</反馈></拒绝>`,
  content: '[网页访问]的内容：\n\n',
  finished: '[完成会话]执行成功。',
  rethought: '[再度思考]执行成功。',
  failed: '[网页访问]执行失败：',
  noCall: '[警告]每次回复至少调用一个工具！',
  unknownTool: (name) => `[警告]工具"${name}"不存在！`,
  stuck: '[警告]连续多次调用工具失败，请检查你的工具调用是否正确！',
  sections: ['用户任务', '角色', '工具调用指南', '目标', '环境信息', '自定义指示'],
  unlike: 'en',
}

const EN: Words = {
  language: 'en',
  task: 'Read this page and tell its points',
  visit: (url) => element('web_access', { url }),
  finish: (reason) => element('finish', { reason }),
  rethink: (reason) => element('rethink', { reason }),
  ask: (question) => element('ask', { question }),
  names: { web_access: 'web_access', finish: 'finish', rethink: 'rethink', ask: 'ask' },
  approvals: [
    (tool, feedback = '') => `<approve><tool>${tool}</tool><feedback>${feedback}</feedback></approve>`,
    (tool) => `\n<approve>\n  <tool> ${tool} </tool>\n</approve>\n`,
  ],
  refuse: (tool, feedback) => `<reject><tool>${tool}</tool><feedback>${feedback}</feedback></reject>`,
  content: '[web_access] content:\n\n',
  finished: '[finish] done.',
  rethought: '[rethink] done.',
  failed: '[web_access] failed: ',
  noCall: '[Warning] Every reply must call at least one tool!',
  unknownTool: (name) => `[Warning] Tool "${name}" does not exist!`,
  stuck: '[Warning] Too many failed tool calls in a row, please check your tool calls!',
  sections: ['user_task', 'role', 'tool_guide', 'goal', 'environment', 'custom_instructions'],
  unlike: 'zh-CN',
}

export const WORDS: Readonly<Record<Language, Words>> = { 'zh-CN': ZH, en: EN }
export const BOTH: readonly Words[] = [ZH, EN]

export const APPROVED = { tools: { web_access: { auto_approve: true } } }

/** A native call as a step of a script. */
export const native = (name: string, args: Record<string, unknown> | string, content: string | null = null) => ({
  content,
  tool_calls: [{ name, arguments: args }],
})
