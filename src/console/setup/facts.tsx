/** A value of an entry, as one reads it. */
export function factText(value: unknown): string {
  if (value === undefined || value === null || value === '') return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Fields of an entry by their names; those without a value are left out. */
export function Facts({ shows, entry }: { shows: readonly string[]; entry: Record<string, unknown> }) {
  const facts = shows.flatMap((field) => {
    const text = factText(entry[field])
    return text === '' || field === 'name' ? [] : [[field, text] as const]
  })
  return (
    <dl class="facts">
      {facts.map(([field, text]) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
