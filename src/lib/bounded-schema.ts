import { type Schema, type SchemaDraft, type ValidationResult, Validator } from '@cfworker/json-schema'

/** What holding a value against a schema may take. */
export interface SchemaBounds {
  /** Schemas that are looked at, and values that one lists. */
  stepsMax: number
  /** Values that are compared with each other where a list is to hold each once. */
  comparisonsMax: number
}

/** A validator of JSON Schema for schemas of somebody else: parts that refer to each other may make each step two, and the library compares each
 *  item of a list with each other. */
export class BoundedValidator {
  readonly #validator: Validator
  readonly #bounds: SchemaBounds
  /** Schemas of lists that hold each item once. */
  readonly #unique: Record<string, unknown>[] = []
  #stepsLeft = 0

  /** Throws where the schema refers to nothing or cannot be read. */
  constructor(schema: Readonly<Record<string, unknown>>, draft: SchemaDraft, bounds: SchemaBounds) {
    // The validator writes its own marks into what it is given.
    const counted = structuredClone(schema) as Schema
    this.#bounds = bounds
    this.#validator = new Validator(counted, draft, false)
    this.#count(counted)
  }

  /** Throws where it takes too many steps. Whether a list that is too long to be looked at holds each item once is not said. */
  validate(value: unknown): ValidationResult {
    this.#stepsLeft = this.#bounds.stepsMax
    const isCompared = this.#unique.length === 0 || comparisonsIn(value) <= this.#bounds.comparisonsMax
    for (const schema of this.#unique) schema['uniqueItems'] = isCompared
    return this.#validator.validate(value)
  }

  #count(schema: unknown): void {
    if (typeof schema !== 'object' || schema === null) return
    for (const inner of Object.values(schema)) this.#count(inner)
    if (Array.isArray(schema)) return
    const keywords = schema as Record<string, unknown>
    if (keywords['uniqueItems'] === true) this.#unique.push(keywords)
    const { enum: listed } = keywords
    const looked: unknown = Object.getOwnPropertyDescriptor(keywords, LOOKED_AT)?.value
    const steps = 1 + (Array.isArray(listed) ? listed.length : 0)
    const get = () => {
      this.#stepsLeft -= steps
      if (this.#stepsLeft < 0) throw new Error('it takes too many steps; let fewer parts refer to each other')
      return looked
    }
    Object.defineProperty(schema, LOOKED_AT, { get, enumerable: false, configurable: true })
  }
}

/** The validator looks at this keyword of an older draft once at each step: that is counted. */
const LOOKED_AT = '$recursiveAnchor'

/** Comparisons of all lists in a value: each item with each, by all that they hold. */
function comparisonsIn(value: unknown): number {
  let comparisons = 0
  const valuesIn = (one: unknown): number => {
    if (typeof one !== 'object' || one === null) return 1
    let values = 1
    for (const inner of Object.values(one)) values += valuesIn(inner)
    if (Array.isArray(one)) comparisons += one.length * values
    return values
  }
  valuesIn(value)
  return comparisons
}
