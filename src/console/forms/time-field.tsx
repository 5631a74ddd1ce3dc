const MINUTE_MS = 60_000

interface Props {
  value: string
  onSet: (time: string | undefined) => void
  id?: string
  'aria-describedby'?: string | undefined
  'aria-invalid'?: 'true' | undefined
}

/** A time in the zone of who writes; the server is given it as RFC 3339. */
export function TimeField({ value, onSet, ...field }: Props) {
  const time = Date.parse(value)
  const local = (date: Date) =>
    new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
  return (
    <input
      {...field}
      type="datetime-local"
      value={Number.isNaN(time) ? '' : local(new Date(time))}
      onChange={({ currentTarget }) =>
        onSet(currentTarget.value === '' ? undefined : new Date(currentTarget.value).toISOString())
      }
    />
  )
}
