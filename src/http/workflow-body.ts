import type { Context } from 'hono'
import type * as z from 'zod'
import { fail, type InputIssue, invalid, ok, type Result } from '../domain/errors.ts'
import { workflowBody } from '../domain/workflow.ts'
import { checkedBy } from '../lib/zod.ts'
import { bodyBytes, encoded, jsonOf } from './body.ts'
import type { AppEnv } from './context.ts'
import type { Reading } from './route.ts'

/** A workflow as its author sent it. `located`: issues with the line of each, where it came as YAML. */
export interface SentWorkflow {
  body: z.output<ReturnType<typeof workflowBody>>
  located: (issues: readonly InputIssue[]) => InputIssue[]
}

/** A body that is JSON, or YAML. */
export const workflowReading: Reading<SentWorkflow> = {
  read: async (c) => {
    if (isYaml(c.req.header('content-type') ?? '')) return ofYaml(c)
    const body = await jsonOf(c, workflowBody())
    return body.ok ? ok({ body: body.value, located: (issues) => [...issues] }) : body
  },
  facts: { body: workflowBody() },
}

function isYaml(type: string): boolean {
  return /^(application|text)\/(x-|vnd\.)?yaml\s*(;|$)/i.test(type)
}

async function ofYaml(c: Context<AppEnv>): Promise<Result<SentWorkflow>> {
  const bytes = await bodyBytes(c)
  if (!bytes.ok) return bytes
  const packed = encoded(c)
  if (packed) return fail(packed)
  const { readYaml } = await import('../skills/workflow-yaml.ts')
  const read = readYaml(decoded(bytes.value))
  if (!read.ok) return invalid(read.issues, 'The body is no YAML of a workflow; see errors.')
  const checked = checkedBy(workflowBody(), read.value)
  return checked.ok ? ok({ body: checked.value, located: read.located }) : invalid(read.located(checked.issues))
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
