import * as z from 'zod'
import { EVENT_TYPES } from '../../domain/event.ts'
import { loggedEvent, otherType } from '../../domain/event-input.ts'
import { EXAMPLES } from './examples.ts'
import { NAMED } from './named.ts'

export type JsonSchema = Record<string, unknown>

/** The schemas of a document: those with a name once, under `components`; others where they are used. */
export class Schemas {
  readonly #registry = z.registry<{ id: string }>()

  constructor() {
    for (const [id, schema] of Object.entries(NAMED)) this.name(id, schema)
  }

  /** Give a schema its name in the document; one that has a name keeps it. Returns a reference. */
  name(id: string, schema: z.ZodType): JsonSchema {
    if (!this.#registry.has(schema)) this.#registry.add(schema, { id })
    return { $ref: refTo(this.#registry.get(schema)?.id ?? id) }
  }

  /** `components.schemas`. */
  components(): Record<string, JsonSchema> {
    const { schemas } = z.toJSONSchema(this.#registry, {
      io: 'input',
      unrepresentable: 'any',
      uri: refTo,
      metadata: this.#registry,
      override: retell,
    })
    return Object.fromEntries(
      Object.entries(schemas).map(([id, schema]) => [id, { ...plain(schema), ...exampleOf(id) }]),
    )
  }
}

function exampleOf(id: string): JsonSchema {
  const example = EXAMPLES[id]
  return example === undefined ? {} : { examples: [example] }
}

export function refTo(id: string): string {
  return `#/components/schemas/${id}`
}

/** A schema of its own, such as that of a query parameter. */
export function schemaOf(schema: z.core.$ZodType): JsonSchema {
  return plain(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: retell }))
}

interface Retold {
  zodSchema: z.core.$ZodType
  jsonSchema: JsonSchema
}

/** What a schema does not show of itself: events of a log as they are read are those that are told, each under its own type. */
function retell({ zodSchema, jsonSchema }: Retold): void {
  if (zodSchema === loggedEvent) jsonSchema['$ref'] = refTo('Event')
  if (zodSchema === otherType) jsonSchema['not'] = { enum: [...EVENT_TYPES] }
  tellInWords({ zodSchema, jsonSchema })
}

/** A pattern with classes of Unicode is right in ECMA-262, but not in every validator's dialect: the description says it in words. */
function tellInWords({ zodSchema, jsonSchema }: Retold): void {
  if (!String(jsonSchema['pattern']).includes('\\p{')) return
  delete jsonSchema['pattern']
  jsonSchema['description'] ??= z.globalRegistry.get(zodSchema)?.description
}

function plain(schema: object): JsonSchema {
  const { $schema: _dialect, $id: _id, id: _name, ...rest } = schema as JsonSchema
  return rest
}
