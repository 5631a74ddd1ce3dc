import type { JsonSchema, Tool } from '../../domain/tool.ts'
import { isObject } from '../../lib/json.ts'
import { finish } from '../../tools/control.ts'

/** `finish` as it may be called where the answer has to fit a schema: with the answer as its reason, or with what the schema names, whose names
 *  come before those of its own parameter. Whether that fits is looked at later. */
export function answerTool(schema: JsonSchema): Tool {
  const { properties } = schema
  if (!isObject(properties)) return finish
  const names = Object.keys(properties).filter((name) => !Object.hasOwn(finish.parameters, name))
  const named = names.map((name) => [name, { names: both(name), description: both(''), required: false }] as const)
  const { properties: own } = finish.inputSchema()
  return {
    ...finish,
    parameters: { ...finish.parameters, ...Object.fromEntries(named) },
    inputSchema: () => ({ ...schema, properties: { ...(isObject(own) ? own : {}), ...properties } }),
    parse: (args) => (names.some((name) => Object.hasOwn(args, name)) ? { ok: true, value: args } : finish.parse(args)),
  }
}

const both = (text: string) => ({ 'zh-CN': text, en: text })
