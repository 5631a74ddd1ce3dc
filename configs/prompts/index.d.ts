/** The parts of the generated prompt in one language, with `{{name}}` where something is put in. */
export interface PromptTemplates {
  role: string
  goal: string
  environment: string
  instructions: string
  toolsText: string
  toolsNative: string
  toolsAuto: string
  toolsNone: string
}
export declare const PROMPTS: Readonly<Record<'zh-CN' | 'en', PromptTemplates>>
