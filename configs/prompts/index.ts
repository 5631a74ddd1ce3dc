import enCompact from './en/compact.md'
import enEnvironment from './en/environment.md'
import enGoal from './en/goal.md'
import enInstructions from './en/instructions.md'
import enOutput from './en/output.md'
import enRole from './en/role.md'
import enToolsNative from './en/tools-native.md'
import enToolsNone from './en/tools-none.md'
import enToolsText from './en/tools-text.md'
import zhCompact from './zh-CN/compact.md'
import zhEnvironment from './zh-CN/environment.md'
import zhGoal from './zh-CN/goal.md'
import zhInstructions from './zh-CN/instructions.md'
import zhOutput from './zh-CN/output.md'
import zhRole from './zh-CN/role.md'
import zhToolsNative from './zh-CN/tools-native.md'
import zhToolsNone from './zh-CN/tools-none.md'
import zhToolsText from './zh-CN/tools-text.md'

/** The parts of the generated prompt in one language, with `{{name}}` where something is put in. */
export interface PromptTemplates {
  role: string
  goal: string
  environment: string
  instructions: string
  /** What an answer that has to fit a JSON Schema looks like. */
  output: string
  toolsText: string
  toolsNative: string
  toolsNone: string
  /** How older messages are summarised. */
  compact: string
}

export const PROMPTS: Readonly<Record<'zh-CN' | 'en', PromptTemplates>> = {
  'zh-CN': {
    role: zhRole,
    goal: zhGoal,
    environment: zhEnvironment,
    instructions: zhInstructions,
    output: zhOutput,
    toolsText: zhToolsText,
    toolsNative: zhToolsNative,
    toolsNone: zhToolsNone,
    compact: zhCompact,
  },
  en: {
    role: enRole,
    goal: enGoal,
    environment: enEnvironment,
    instructions: enInstructions,
    output: enOutput,
    toolsText: enToolsText,
    toolsNative: enToolsNative,
    toolsNone: enToolsNone,
    compact: enCompact,
  },
}
