import * as z from 'zod'

type Check = (value: unknown) => boolean

const never: Check = () => false
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')

/** As `safeParse` of JSON values, several times as quick for those that come out as they went in. Where no evaluation of code is allowed
 *  zod makes an object of results for each member; an import has millions of them. */
export function quickParser<T extends z.ZodType>(schema: T): (value: unknown) => z.ZodSafeParseResult<z.output<T>> {
  const fits = fitsOf<z.output<T>>(schema)
  return (value) => (fits(value) ? { success: true, data: value } : schema.safeParse(value))
}

/** Whether a schema takes a JSON value and gives it back unchanged. Yes is certain; no means that the schema has to be asked. */
function fitsOf<T>(schema: z.core.$ZodType): (value: unknown) => value is T {
  const check = checkOf(schema)
  return (value): value is T => check(value)
}

function checkOf(schema: z.core.$ZodType): Check {
  if (schema instanceof z.ZodNullable) {
    const inner = checkOf(schema.unwrap())
    return (value) => value === null || inner(value)
  }
  // What is absent is looked at where the object is.
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return checkOf(schema.unwrap())
  if (schema instanceof z.ZodString || schema instanceof z.ZodNumber || schema instanceof z.ZodISODateTime)
    return leafCheck(schema)
  // A check of the whole is its own matter.
  if (!(schema instanceof z.ZodType) || schema.def.checks?.length) return never
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean'
  if (schema instanceof z.ZodUnknown) return () => true
  if (schema instanceof z.ZodEnum) return among(schema.options)
  if (schema instanceof z.ZodLiteral) return among([...schema.values])
  if (schema instanceof z.ZodArray) {
    const element = checkOf(schema.element)
    return (value) => Array.isArray(value) && value.every(element)
  }
  if (schema instanceof z.ZodRecord) return recordCheck(schema)
  if (schema instanceof z.ZodObject) return objectCheck(schema)
  if (schema instanceof z.ZodDiscriminatedUnion) return choiceCheck(schema)
  // Of several that may take a value the first one does.
  if (schema instanceof z.ZodUnion) return schema.options[0] ? checkOf(schema.options[0]) : never
  return never
}

function leafCheck(schema: z.ZodString | z.ZodNumber | z.ZodISODateTime): Check {
  const isPlainText = schema instanceof z.ZodString && !schema.def.checks?.length && schema.format === null
  if (isPlainText) return (value) => typeof value === 'string'
  return (value) => {
    const read = schema.safeParse(value)
    return read.success && read.data === value
  }
}

function among(values: readonly unknown[]): Check {
  const known = new Set(values)
  return (value) => known.has(value)
}

function recordCheck({ keyType, valueType }: z.ZodRecord): Check {
  const isAnyKey = keyType instanceof z.ZodString && !keyType.def.checks?.length
  if (!isAnyKey) return never
  const inner = checkOf(valueType)
  return (value) => isRecord(value) && Object.values(value).every(inner)
}

function objectCheck({ shape, def }: z.ZodObject): Check {
  const members = Object.entries(shape).map(([name, schema]) => ({
    name,
    check: checkOf(schema),
    isOptional: schema instanceof z.ZodOptional,
  }))
  const isLoose = def.catchall instanceof z.ZodUnknown
  return (value) => {
    if (!isRecord(value)) return false
    for (const { name, check, isOptional } of members) {
      if (!Object.hasOwn(value, name)) {
        if (isOptional) continue
        return false
      }
      if (!check(value[name])) return false
    }
    return isLoose || Object.keys(value).every((name) => Object.hasOwn(shape, name))
  }
}

/** By the member that says which of the options it is. */
function choiceCheck({ options, def }: z.ZodDiscriminatedUnion): Check {
  const { discriminator } = def
  const checks = new Map<unknown, Check>()
  for (const option of options) {
    const check = checkOf(option)
    for (const value of namesIn(option, discriminator)) checks.set(value, check)
  }
  return (value) => isRecord(value) && (checks.get(value[discriminator])?.(value) ?? false)
}

function namesIn(option: z.core.$ZodType, discriminator: string): unknown[] {
  if (option instanceof z.ZodDiscriminatedUnion) return option.options.flatMap((one) => namesIn(one, discriminator))
  const named = option instanceof z.ZodObject ? option.shape[discriminator] : null
  return named instanceof z.ZodLiteral ? [...named.values] : []
}
