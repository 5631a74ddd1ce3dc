import { clausesText, language, labelledText } from '../language.ts'
import { niceTop } from './sums-text.ts'

export interface Bar {
  name: string
  value: number
}

interface Props {
  title: string
  bars: readonly Bar[]
  text: (value: number) => string
}

const TICKS = 4
const LABELS_MAX = 6

/** A UTC day such as `2026-11-24`, as one reads it: `Nov 24`. */
function usageDayText(day: string): string {
  const time = Date.parse(day)
  if (Number.isNaN(time)) return day
  return new Intl.DateTimeFormat(language.value, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(time)
}

/** Values of days, a column each, with their axes. The table below says the same in words. */
export function Columns({ title, bars, text }: Props) {
  const top = niceTop(Math.max(0, ...bars.map(({ value }) => value)))
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => (top / TICKS) * (TICKS - index))
  const every = Math.max(1, Math.ceil(bars.length / LABELS_MAX))
  const spoken = bars
    .filter(({ value }) => value > 0)
    .map(({ name, value }) => labelledText(usageDayText(name), text(value)))
  return (
    <figure class="columns">
      <figcaption>{title}</figcaption>
      <div class="plot" role="img" aria-label={labelledText(title, clausesText(spoken))}>
        <div class="y-axis">
          {ticks.map((value) => (
            <span key={value}>{text(value)}</span>
          ))}
        </div>
        <div class="bars">
          {bars.map(({ name, value }) => (
            <div class="bar-room" key={name} title={labelledText(usageDayText(name), text(value))}>
              <div class={value > 0 ? 'bar' : 'bar none'} style={{ height: `${(value / top) * 100}%` }} />
            </div>
          ))}
        </div>
        <div class="x-axis">
          {bars.map(({ name }, index) =>
            index % every === 0 ? (
              <span key={name} style={{ left: `${((index + 0.5) / bars.length) * 100}%` }}>
                {usageDayText(name)}
              </span>
            ) : null,
          )}
        </div>
      </div>
    </figure>
  )
}

const LINES_MAX = 12

/** Values of names, a line each, the largest first. */
export function Lines({ title, bars, text }: Props) {
  const shown = bars.toSorted((one, other) => other.value - one.value).slice(0, LINES_MAX)
  const most = Math.max(Number.MIN_VALUE, ...shown.map(({ value }) => value))
  return (
    <figure class="lines">
      <figcaption>{title}</figcaption>
      <ul>
        {shown.map(({ name, value }, index) => (
          <li key={index}>
            <span class="line-name" title={name}>
              {name}
            </span>
            <span class="line-room">
              <span class="bar" style={{ width: `${(value / most) * 100}%` }} />
            </span>
            <span class="line-value">{text(value)}</span>
          </li>
        ))}
      </ul>
    </figure>
  )
}
