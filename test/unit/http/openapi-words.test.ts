import { describe, test } from 'vitest'
import { OPERATION_TEXTS } from '../../../src/http/openapi/texts/operations.ts'
import { wordKeys, wordsAt } from '../../../src/http/openapi/words.ts'
import type { Json } from '../../support/document.ts'
import { own } from '../../support/own-document.ts'

const { document, operations } = own
const { components, webhooks } = document

interface Described {
  /** Where it stands in the document. */
  place: string
  /** What it is called. */
  name: string
  description: unknown
}

/** Fields of a schema and of those within it, each by its path: `Message.tool_calls.id`. */
function* fieldsOf(schema: unknown, place: string): Generator<Described> {
  if (typeof schema !== 'object' || schema === null) return
  const { properties = {}, items, additionalProperties, ...rest } = schema as Json & { properties?: Json }
  for (const [name, field] of Object.entries(properties)) {
    yield { place: `${place}.${name}`, name, description: (field as Json)['description'] }
    yield* fieldsOf(field, `${place}.${name}`)
  }
  const forms = [rest['anyOf'], rest['oneOf'], rest['allOf']].flatMap((some) => (some ?? []) as Json[])
  for (const inner of [items, additionalProperties, ...forms]) yield* fieldsOf(inner, place)
}

const schemas = Object.entries(components.schemas)
const fields = schemas.flatMap(([name, schema]) => [...fieldsOf(schema, name)])
const deliveries = Object.values(webhooks).flatMap((methods) => Object.values(methods))
const all = [...operations.map(({ operation }) => operation), ...deliveries]

const named = (parts: object, kind: string): Described[] =>
  Object.entries(parts).map(([name, part]) => ({
    place: `${kind} ${name}`,
    name,
    description: (part as Json)['description'],
  }))

const parts: Record<string, readonly Described[]> = {
  schemas: named(components.schemas, 'schema'),
  fields,
  tags: document.tags.map((tag) => ({ place: `tag ${tag.name}`, description: undefined, ...tag })),
  parameters: [
    ...named(components.parameters, 'parameter'),
    ...all.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(({ $ref }) => $ref === undefined)
        .map((one) => ({
          place: `${operationId} ${one.name}`,
          name: one.name ?? '',
          description: one['description'],
        })),
    ),
  ],
  headers: named(components.headers, 'header'),
  'security schemes': named(components.securitySchemes, 'security scheme'),
  responses: [
    ...named(components.responses, 'response'),
    ...all.flatMap(({ operationId, responses }) =>
      named(responses, operationId).filter(({ name }) => responses[name]?.$ref === undefined),
    ),
  ],
  summaries: all.map(({ operationId, summary }) => ({ place: operationId, name: operationId, description: summary })),
  operations: all.map((one) => ({
    place: one.operationId,
    name: one.operationId,
    description: one['description'],
  })),
}

const CHARS_MIN = 15
const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Whether it is no sentence, or says nothing that its name does not say. */
function isPoor({ name, description }: Described): boolean {
  if (typeof description !== 'string' || description.length < CHARS_MIN) return true
  return plain(description) === plain(name) || !/^[A-Z`0-9].*\.$/s.test(description)
}

describe('the words of the OpenAPI document', () => {
  for (const [kind, described] of Object.entries(parts)) {
    // A summary is a title, and the name of a security scheme is one word.
    const isTitle = kind === 'summaries'
    test(`describe all ${kind}`, ({ expect }) => {
      expect(described.length).toBeGreaterThan(0)
      const poor = described.filter((one) =>
        isTitle ? typeof one.description !== 'string' || one.description.length < 5 : isPoor(one),
      )
      expect(poor.map(({ place, description }) => `${place}: ${String(description)}`)).toEqual([])
    })
  }

  test('are all of something that there is', ({ expect }) => {
    const places = [...schemas.map(([name]) => name), ...fields.map(({ place }) => place)]
    const used = new Set(places.map((place) => wordsAt(place)?.key))
    /** Fields that several schemas share stand under a name that is no schema's. */
    const isPart = (key: string) => !key.includes('.') && [...used].some((one) => one?.startsWith(`${key}.`))
    expect(wordKeys().filter((key) => !used.has(key) && !isPart(key))).toEqual([])
    const ids = new Set(operations.map(({ operation }) => operation.operationId))
    expect(Object.keys(OPERATION_TEXTS).filter((id) => !ids.has(id))).toEqual([])
  })

  test('say what a field is where it is', ({ expect }) => {
    const said = (place: string) => fields.find((field) => field.place === place)?.description
    expect(said('SessionConfig.limits.max_iterations')).toBe(
      'Model calls of one request; then the run rests. Default: 8.',
    )
    expect(said('RunEndEvent.seq')).toBe(said('OtherEvent.seq'))
    expect(said('CreateScheduleBody.team.roles.watch')).toBe(said('Team.roles.watch'))
    expect(said('MadeKey.limits.day.max_cost')).toBe('Money of one day in UTC.')
    expect(said('Skill.name')).toContain('up to 64 letters')
    expect(wordsAt('Message.no_such_field')).toBeNull()
  })
})
