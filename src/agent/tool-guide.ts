import { PROMPTS } from '../../configs/prompts/index.ts'
import type { Language } from '../domain/language.ts'
import type { Protocol } from '../domain/model.ts'
import type { Tool, ToolParameter } from '../domain/tool.ts'
import { describeSchema } from './expectation.ts'
import { parameterSchema } from './schema.ts'
import { escapeSections } from './sections.ts'
import { fillTemplate } from './template.ts'
import { shownName } from './tool-names.ts'
import { writeCall } from './write-call.ts'

const WORDS = {
  'zh-CN': {
    parameters: '参数：',
    none: '没有参数。',
    required: '必填',
    optional: '可选',
    call: '调用：',
    type: (name: string, needed: string, type: string, text: string) => `- \`${name}\`（${needed}，${type}）：${text}`,
  },
  en: {
    parameters: 'Parameters:',
    none: 'No parameters.',
    required: 'required',
    optional: 'optional',
    call: 'Call:',
    type: (name: string, needed: string, type: string, text: string) => `- \`${name}\` (${needed}, ${type}): ${text}`,
  },
} as const satisfies Record<Language, unknown>

/** The tool guide for one protocol: with tags (`xml`), for function calling (`native`), or for both (`auto`). */
export function toolGuide(tools: readonly Tool[], protocol: Protocol, language: Language): string {
  const templates = PROMPTS[language]
  if (tools.length === 0) return templates.toolsNone
  const values = {
    example: exampleCall(tools, language),
    tools: tools.map((tool) => toolWithTags(tool, language, protocol === 'xml')).join('\n\n'),
    list: tools.map((tool) => `- \`${tool.id}\`: ${tool.description[language]}`).join('\n'),
    ask: shownName('ask', tools, language),
    finish: shownName('finish', tools, language),
  }
  if (protocol === 'xml') return fillTemplate(templates.toolsText, values)
  const native = fillTemplate(templates.toolsNative, values)
  return protocol === 'native' ? native : `${native}\n\n${fillTemplate(templates.toolsAuto, values)}`
}

/** How a tool is called with tags; what it does is left out where the list for function calling has said it. */
function toolWithTags(tool: Tool, language: Language, described: boolean): string {
  const words = WORDS[language]
  const lines = Object.entries(tool.parameters).map(([name, parameter]) => {
    const needed = parameter.required ? words.required : words.optional
    const type = describeSchema(parameterSchema(tool, name), language)
    return words.type(parameter.names[language], needed, type, parameter.description[language])
  })
  const parameters = lines.length === 0 ? [words.none] : [words.parameters, ...lines]
  const call = templateCall(tool, language)
  const example = isPlain(call) ? [words.call, call] : []
  const description = described ? [tool.description[language]] : []
  return [`## ${tool.names[language]}`, ...description, ...parameters, ...example].join('\n')
}

/** A call with what is required, each value being the parameter's own name in brackets. */
function templateCall(tool: Tool, language: Language): string {
  const required = Object.entries(tool.parameters).filter(([, parameter]) => parameter.required)
  return writeCall({ name: tool.id, arguments: placeholders(required, language) }, [tool], language)
}

/** Whether a call can stand in the prompt as it is: its tags have no name of a section. */
function isPlain(call: string): boolean {
  return escapeSections(call) === call
}

function placeholders(parameters: [string, ToolParameter][], language: Language): Record<string, string> {
  return Object.fromEntries(parameters.map(([name, { names }]) => [name, `[${names[language]}]`]))
}

/** The example at the head of the guide: a call of the first tool that is there to do something. */
function exampleCall(tools: readonly Tool[], language: Language): string {
  const plain = tools.filter((one) => isPlain(templateCall(one, language)))
  const tool = plain.find(({ control }) => !control) ?? plain[0]
  if (tool === undefined) return ''
  return tool.id === 'web_access'
    ? writeCall({ name: tool.id, arguments: { url: 'https://github.com/trending?since=weekly' } }, tools, language)
    : templateCall(tool, language)
}
