import { PROMPTS } from '../../configs/prompts/index.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Protocol } from '../domain/model.ts'
import type { FinishMode } from '../domain/skill.ts'
import type { Tool } from '../domain/tool.ts'
import { cutText } from '../lib/text.ts'
import { describeSchema, parameterSchema } from './parameter-schema.ts'
import { fillTemplate } from './prompt-parts.ts'
import { displayName } from './tool-names.ts'

const WORDS = {
  'zh-CN': {
    parameters: '参数：',
    none: '没有参数。',
    required: '必填',
    optional: '可选',
    rules: {
      tool: {
        each: '每次回复至少调用一个工具。',
        eachOne: '每次回复必须调用一个工具，而且只调用一个；写了多个时只有第一个会执行。调用之后就结束回复，等待结果。',
        ask: (ask: string) => `只有用户才知道或才能决定的事，用${ask}问，不要猜测。`,
        end: (finish: string) => `做完后，用${finish}给出完整的答复。`,
      },
      no_call: {
        each: '需要工具时就调用；不再需要时，直接写出答复。',
        eachOne: '需要工具时每次回复只调用一个；写了多个时只有第一个会执行。调用之后就结束回复，等待结果。',
        ask: () => '缺少信息时，根据已有的内容尽力完成，并说明缺了什么。',
        end: () => '没有调用工具的回复就是给用户的完整答复，任务随之结束；不要用它来说明下一步打算。',
      },
    },
    named: (name: string) => ` \`${name}\` `,
    quoted: (name: string) => `“${name}”工具`,
    type: (name: string, needed: string, type: string, text: string) => `- \`${name}\`（${needed}，${type}）：${text}`,
  },
  en: {
    parameters: 'Parameters:',
    none: 'No parameters.',
    required: 'required',
    optional: 'optional',
    rules: {
      tool: {
        each: 'Every reply must call at least one tool.',
        eachOne:
          'Every reply must call one tool, and only one; of several calls only the first is run. End the reply after the call and wait for its result.',
        ask: (ask: string) => `Ask with ${ask} what only the user can know or choose; do not guess.`,
        end: (finish: string) => `When the task is done, give your whole answer with ${finish}.`,
      },
      no_call: {
        each: 'Call a tool when you need one; when you need none any more, write the answer.',
        eachOne:
          'When you need a tool, call only one in a reply; of several calls only the first is run. End the reply after the call and wait for its result.',
        ask: () => 'If information is missing, do what can be done with what there is, and say what is missing.',
        end: () =>
          'A reply without a call is your whole answer to the user and ends the task; do not use one to tell what you plan to do.',
      },
    },
    named: (name: string) => `\`${name}\``,
    quoted: (name: string) => `the tool "${name}"`,
    type: (name: string, needed: string, type: string, text: string) => `- \`${name}\` (${needed}, ${type}): ${text}`,
  },
} as const satisfies Record<Language, unknown>

/** What a guide is written for. */
export interface Guided {
  tools: readonly Tool[]
  protocol: Protocol
  language: Language
  finish: FinishMode
}

/** Guides by their list of tools: one is needed several times in a run. */
const WRITTEN = new WeakMap<readonly Tool[], Map<string, string>>()

/** The tool guide for one protocol: with tags (`xml`), or for function calling, as which `auto` begins. It holds nothing that would be a
 *  call where it is repeated, and says of functions nothing that their definitions say. */
export function toolGuide(guided: Guided): string {
  const { tools, protocol, language, finish } = guided
  const key = `${protocol === 'xml'} ${language} ${finish}`
  const written = WRITTEN.get(tools) ?? new Map<string, string>()
  const guide = written.get(key) ?? writeGuide(guided)
  WRITTEN.set(tools, written.set(key, guide))
  return guide
}

function writeGuide({ tools, protocol, language, finish }: Guided): string {
  const templates = PROMPTS[language]
  if (tools.length === 0) return templates.toolsNone
  const words = WORDS[language]
  const rules = words.rules[finish]
  const inText = protocol === 'xml'
  const named = (id: string) => (inText ? words.quoted(displayName(id, tools, language)) : words.named(id))
  const values = {
    each: inText ? rules.eachOne : rules.each,
    ask_rule: rules.ask(named('ask')),
    end_rule: rules.end(named('finish')),
    tools: inText ? tools.map((tool) => toolWithTags(tool, language)).join('\n\n') : '',
  }
  return fillTemplate(inText ? templates.toolsText : templates.toolsNative, values)
}

/** One tool as it is told of outside the guide: with tags (`xml`), else with its JSON Schema. */
export function toolDescription(tool: Tool, protocol: Protocol, language: Language): string {
  const called = protocol === 'xml' ? toolWithTags(tool, language) : toolWithSchema(tool, language)
  return cutText(called, LIMITS.mcp.toolDescriptionChars + LIMITS.mcp.foundSchemaChars)
}

function toolWithSchema(tool: Tool, language: Language): string {
  return `${tool.id}: ${tool.description[language]}\n${JSON.stringify(tool.inputSchema())}`
}

/** What a tool does and how it is called with tags. For function calling the definitions of the functions say it. */
function toolWithTags(tool: Tool, language: Language): string {
  const words = WORDS[language]
  const lines = Object.entries(tool.parameters).map(([name, parameter]) => {
    const needed = parameter.required ? words.required : words.optional
    const type = describeSchema(parameterSchema(tool, name), language)
    return words.type(parameter.names[language], needed, type, parameter.description[language])
  })
  const parameters = lines.length === 0 ? [words.none] : [words.parameters, ...lines]
  return [`## ${tool.names[language]}`, tool.description[language], ...parameters].join('\n')
}
