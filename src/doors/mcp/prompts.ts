import type { Context } from 'hono'
import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import { inLanguage } from '../../domain/skill.ts'
import type { AppEnv } from '../../http/context.ts'
import { serverFor } from '../../objects/engine.ts'
import { directoryObject } from '../../objects/env.ts'
import { readInput, renderTemplate, valuesFor } from '../../skills/template.ts'
import { allowed } from '../kernel/allowed.ts'

/** Skills as prompts: what a skill tells a model, filled with its inputs, for a host that works by it itself. */

interface ListedPrompt {
  name: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
}

export function listedPrompts(c: Context<AppEnv>, language: Language): Promise<Result<ListedPrompt[]>> {
  const { tenant } = c.get('principal')
  return allowed(c, { scope: 'read' }, async () => {
    const { skills } = (await serverFor(c.env, tenant)).engine
    const own = await directoryObject(c.env, tenant).skills('', LIMITS.skill.perTenantMax)
    const { data } = await skills.page(own, { after: '', limit: Infinity, language })
    return ok(
      data.map(({ name, description, inputs }) => ({
        name,
        description,
        arguments: inputs.map((input) => ({
          name: input.name,
          description: input.description,
          required: input.required && input.default === null,
        })),
      })),
    )
  })
}

interface FilledPrompt {
  description: string
  messages: { role: 'user'; content: { type: 'text'; text: string } }[]
}

export function filledPrompt(
  c: Context<AppEnv>,
  name: string,
  args: Readonly<Record<string, string>>,
  language: Language,
): Promise<Result<FilledPrompt>> {
  const { tenant } = c.get('principal')
  return allowed(c, { scope: 'read', target: name }, async () => {
    const skill = await (await serverFor(c.env, tenant)).engine.skills.find(tenant, name)
    if (!skill) return fail({ code: 'not_found', what: 'prompt' })
    const definition = inLanguage(skill, language)
    const types = new Map(definition.inputs.map((input) => [input.name, input.type]))
    const given = Object.fromEntries(Object.entries(args).map(([key, text]) => [key, valueOf(text, types.get(key))]))
    const begun = readInput(definition, given)
    if (!begun.ok) return invalid(begun.issues, 'The arguments do not fit the skill.')
    const values = { user: '', language, time: new Date().toISOString(), user_input: '', history: '', ...begun.inputs }
    const text = renderTemplate(definition.prompt, valuesFor(definition, values))
    return ok({
      description: definition.description,
      messages: [{ role: 'user', content: { type: 'text', text: text || definition.description } }],
    })
  })
}

/** Arguments of prompts are texts. */
function valueOf(text: string, type: string | undefined): string | number | boolean {
  if (type === 'number') return Number(text)
  return type === 'boolean' ? text === 'true' : text
}
