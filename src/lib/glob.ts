/** Whether a text fits a pattern in which `*` stands for any characters but `separator`, and `**` for any at all. Takes time
 *  linear in the product of both lengths at worst. */
export function matchesGlob(text: string, pattern: string, separator: string): boolean {
  let reached = new Set([0])
  for (const part of pattern.split(/(\*\*|\*)/)) {
    reached =
      part === '*' || part === '**'
        ? stretched(text, reached, part === '*' ? separator : '')
        : stepped(text, reached, part)
  }
  return reached.has(text.length)
}

/** Every place that a star can reach from one of these. */
function stretched(text: string, from: ReadonlySet<number>, stop: string): Set<number> {
  const reached = new Set<number>()
  for (let at = 0, open = false; at <= text.length; at++) {
    open ||= from.has(at)
    if (open) reached.add(at)
    if (stop !== '' && text[at] === stop) open = false
  }
  return reached
}

function stepped(text: string, from: ReadonlySet<number>, literal: string): Set<number> {
  return new Set([...from].filter((at) => text.startsWith(literal, at)).map((at) => at + literal.length))
}

/** Whether a host fits a pattern in which `*` stands for one label or a part of it, and `**` for any number of labels. Letter case,
 *  the dot that may end a name, and how names that are not ASCII are written make no difference. */
export function matchesHost(hostname: string, pattern: string): boolean {
  return matchesGlob(plainHost(hostname), pattern.split('.').map(asciiLabel).join('.').replace(/\.$/, ''), '.')
}

/** A host as names are compared: in lower case, without the dot that may end it. */
export function plainHost(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

/** Whether two addresses are at one host, `www.` in front aside. */
export function isSameSite(one: string, other: string): boolean {
  const [first, second] = [one, other].map((address) => withoutWww(URL.parse(address)?.hostname ?? ''))
  return first !== '' && first === second
}

export function withoutWww(hostname: string): string {
  return plainHost(hostname).replace(/^www\./, '')
}

function asciiLabel(label: string): string {
  const isAscii = /^[\u0020-\u007e]*$/.test(label)
  return (isAscii ? null : URL.parse(`http://${label}.x`)?.hostname.slice(0, -2)) ?? label.toLowerCase()
}
