const MINUTE_MS = 60_000

/** A time in the zone of who writes; the server is given it as RFC 3339. */
export function TimeField({ value, onSet }: { value: string; onSet: (time: string | undefined) => void }) {
  const time = Date.parse(value)
  const local = (date: Date) =>
    new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
  return (
    <input
      type="datetime-local"
      value={Number.isNaN(time) ? '' : local(new Date(time))}
      onChange={({ currentTarget }) =>
        onSet(currentTarget.value === '' ? undefined : new Date(currentTarget.value).toISOString())
      }
    />
  )
}
