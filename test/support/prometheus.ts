export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

export interface Family {
  type: string
  help: string
  samples: Sample[]
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?(?:[0-9.]+(?:e[+-]?\\d+)?|Inf)|\\+Inf|NaN)$`)
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\n|\\")*)"(?:,|$)/

/** Reads the text format strictly: every line, help and type before the samples of a family, each family once, and histograms whose
 *  buckets grow and end at their count. Throws at what is wrong. Source: prometheus.io, "Exposition formats", 0.0.4. */
export function parsePrometheus(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, Family>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, word, name = '', rest = ''] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`).exec(line) ?? []
    if (word === 'HELP') {
      if (families.has(name)) throw new Error(`${name} comes twice`)
      families.set((current = name), { type: '', help: rest, samples: [] })
    } else if (word === 'TYPE') {
      const family = families.get(name)
      if (!family || name !== current) throw new Error(`TYPE of ${name} without its HELP`)
      if (!['counter', 'gauge', 'histogram'].includes(rest)) throw new Error(`${rest} is no type`)
      family.type = rest
    } else familyOf(families, current, sampleOf(line))
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family)
  return families
}

function familyOf(families: Map<string, Family>, current: string, sample: Sample): void {
  const family = families.get(current)
  const names = family?.type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => current + end) : [current]
  if (!family || !names.includes(sample.name)) throw new Error(`${sample.name} stands in ${current}`)
  family.samples.push(sample)
}

function sampleOf(line: string): Sample {
  const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? []
  if (value === undefined) throw new Error(`no sample: ${line}`)
  return { name, labels: labelsOf(labels), value: Number(value.replace('Inf', 'Infinity')) }
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  for (let rest = text; rest !== '';) {
    const [all, name = '', value = ''] = LABEL.exec(rest) ?? []
    if (all === undefined || name in labels) throw new Error(`no label: ${rest}`)
    labels[name] = value.replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one))
    rest = rest.slice(all.length)
  }
  return labels
}

function checkHistogram(name: string, { samples }: Family): void {
  const counts = new Map<string, number>()
  for (const { name: own, labels, value } of samples) {
    const { le, ...others } = labels
    const key = JSON.stringify(others)
    if (own === `${name}_bucket` && le !== undefined) {
      if (value < (counts.get(key) ?? 0)) throw new Error(`${name}: a bucket is smaller than the one below`)
      counts.set(key, value)
    }
    if (own === `${name}_count` && counts.get(key) !== value) throw new Error(`${name}: +Inf is not the count`)
  }
}
