import type { StepInput } from '../../src/cli/mock-model/script.ts'

export { startMockModel as startScriptedModel } from '../../src/cli/mock-model/server.ts'
export type { MockModel, RecordedRequest } from '../../src/cli/mock-model/server.ts'

/** A step that says `content`. */
export const says = (content: string): StepInput => ({ content })

/** A step that makes one native call. */
export const calls = (name: string, args: Record<string, unknown> | string) => ({
  tool_calls: [{ name, arguments: args }],
})
