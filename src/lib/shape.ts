import * as z from 'zod'

/** What `make` gives, made when it is first asked for and the same from then on. Schemas that only documents and imports need are made
 *  so: to start up costs nothing of them. With `@__PURE__` before the call a bundle that asks for none leaves it out. */
export function onDemand<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}

/** What fits a schema that is made on demand. */
export type ShapeOf<T extends () => z.ZodType> = z.infer<ReturnType<T>>

/** A number of things. */
export const count = () => z.int().min(0)
/** RFC 3339. */
export const time = () => z.iso.datetime()
/** An object of whatever members. */
export const record = () => z.record(z.string(), z.unknown())

/** A page of a list. */
export const listPage = <T extends z.ZodType>(entry: T) =>
  z.object({ object: z.literal('list'), data: z.array(entry), next_cursor: z.string().nullable() })
