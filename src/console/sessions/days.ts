/** How long ago a session was begun; `week`: within the last seven days. */
type Age = 'today' | 'yesterday' | 'week' | 'month'

/** By calendar days of the reader; what is older than a week goes by its month. */
function ageOf(time: string, now: Date): Age {
  const midnight = (daysAgo: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime()
  const begun = Date.parse(time)
  if (begun >= midnight(0)) return 'today'
  if (begun >= midnight(1)) return 'yesterday'
  return begun >= midnight(6) ? 'week' : 'month'
}

/** Entries in their order under headings: the days of this week, then months. `monthText`: the month of a time, in words. */
export function groupedByDay<T extends { start_time: string }>(
  entries: readonly T[],
  now: Date,
  { words, monthText }: { words: Record<Exclude<Age, 'month'>, string>; monthText: (time: string) => string },
): { heading: string; entries: T[] }[] {
  const groups: { heading: string; entries: T[] }[] = []
  for (const entry of entries) {
    const age = ageOf(entry.start_time, now)
    const heading = age === 'month' ? monthText(entry.start_time) : words[age]
    const last = groups.at(-1)
    if (last?.heading === heading) last.entries.push(entry)
    else groups.push({ heading, entries: [entry] })
  }
  return groups
}
