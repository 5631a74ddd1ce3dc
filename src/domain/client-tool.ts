import * as z from 'zod'
import { bytesOf } from '../lib/bytes.ts'
import { canonicalJson } from '../lib/hash.ts'
import { isDeeper } from '../lib/json.ts'
import { schemaFault } from './json-schema.ts'
import { LIMITS } from './limits.ts'

const { toolsMax, descriptionCharsMax, schemaBytesMax, schemaDepthMax, bytesMax } = LIMITS.clientTool

/** The arguments of such a tool: an object. What is wrong with the schema is said with its place. */
const parameters = z
  .record(z.string(), z.unknown())
  .describe('JSON Schema of the arguments, an object.')
  .superRefine((schema, context) => {
    const fail = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    const { type } = schema
    if (type !== undefined && type !== 'object') return fail(['type'], 'object: arguments are one')
    if (isDeeper(schema, 2 * schemaDepthMax)) return fail([], `at most ${schemaDepthMax} schemas within each other`)
    if (bytesOf(JSON.stringify(schema)) > schemaBytesMax) return fail([], `at most ${schemaBytesMax} bytes of JSON`)
    const fault = schemaFault(schema, '', schemaDepthMax)
    if (fault) fail(fault.place.split('.').slice(1), fault.problem)
  })

/** A tool that the caller of a run has, and runs itself. */
export const clientTool = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/, '1 to 64 letters, digits, _ and -, with no - at the start')
    .describe('How the model calls it. Where it is a name of a tool of the server, the model is given `NAME_2`.'),
  description: z.string().max(descriptionCharsMax).default('').describe('What it does, for the model.'),
  parameters: parameters.default(() => ({ type: 'object', properties: {} })),
})
export type ClientTool = z.infer<typeof clientTool>

/** What such a tool says of itself. */
export const clientDefinition = (given: ClientTool): string => `client ${canonicalJson(given)}`

/** The tools of one request; no name twice. */
export const clientTools = z
  .array(clientTool)
  .max(toolsMax)
  .superRefine((tools, context) => {
    const names = new Set<string>()
    for (const [index, { name }] of tools.entries()) {
      if (names.has(name))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'a name that no other has' })
      names.add(name)
    }
    if (bytesOf(JSON.stringify(tools)) > bytesMax)
      context.addIssue({ code: 'custom', path: [], message: `at most ${bytesMax} bytes of JSON in all` })
  })
