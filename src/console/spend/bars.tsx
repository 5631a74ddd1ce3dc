export interface Bar {
  name: string
  value: number
}

const WIDTH = 720
const HEIGHT = 140
const GAP = 3
const BARS_MAX = 60

/** A bar for each value, the highest as high as the chart. The table below it says the same in words. */
export function Bars({ title, bars, text }: { title: string; bars: readonly Bar[]; text: (value: number) => string }) {
  const shown = bars.slice(0, BARS_MAX)
  const highest = Math.max(...shown.map(({ value }) => value), Number.MIN_VALUE)
  const step = Math.min(48, WIDTH / shown.length)
  return (
    <figure class="bars">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {shown.map(({ name, value }, index) => {
          const height = (value / highest) * (HEIGHT - 4)
          return (
            <rect
              key={name}
              x={index * step}
              y={HEIGHT - height}
              width={Math.max(1, step - GAP)}
              height={height}
              rx={2}
            >
              <title>{`${name}: ${text(value)}`}</title>
            </rect>
          )
        })}
      </svg>
    </figure>
  )
}
