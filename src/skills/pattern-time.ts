import { LIMITS } from '../domain/limits.ts'

/** Why the time that an expression takes may grow without bound: a repeat of what holds a repeat or a choice, at any depth, or many repeats
 *  without an end one after the other; null: it does not. */
export function slowness(pattern: string): string | null {
  const groups: { isOpen: boolean }[] = [{ isOpen: false }]
  let endless = 0
  let closed: { isOpen: boolean } | null = null
  for (let at = 0; at < pattern.length; at += 1) {
    const unit = pattern[at] ?? ''
    const repeat = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(pattern.slice(at, at + 20))?.[0]
    const group = groups.at(-1)
    if (repeat !== undefined && group) {
      if (closed?.isOpen === true && repeat !== '?') return 'without repeats in repeats'
      if (/^(?:[*+]|\{\d+,\})$/.test(repeat)) endless += 1
      group.isOpen = true
      at += repeat.length - 1
      // Behind a repeat `?` says that it takes as little as it can.
      if (pattern[at + 1] === '?') at += 1
      closed = null
      continue
    }
    closed = null
    if (unit === '\\') at += 1
    else if (unit === '[') at = classEnd(pattern, at)
    else if (unit === '(') {
      groups.push({ isOpen: false })
      if (pattern[at + 1] === '?') at += 1
    } else if (unit === ')') {
      closed = groups.pop() ?? null
      const outer = groups.at(-1)
      if (outer && closed?.isOpen === true) outer.isOpen = true
    } else if (unit === '|' && group) group.isOpen = true
  }
  return endless > LIMITS.skill.patternRepeatsMax
    ? `of at most ${LIMITS.skill.patternRepeatsMax} repeats without an end`
    : null
}

/** Where the class of characters that begins at `start` ends. */
function classEnd(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1
    else if (pattern[at] === ']') return at
  }
  return pattern.length
}
