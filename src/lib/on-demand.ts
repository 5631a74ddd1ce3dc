/** What `make` gives, made when it is first asked for and the same from then on. Schemas that only documents and imports need are made
 *  so: to start up costs nothing of them. With `@__PURE__` before the call a bundle that asks for none leaves it out. */
export function onDemand<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}
