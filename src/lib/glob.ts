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
