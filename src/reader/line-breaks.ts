import { attribute, type ElementNode } from './node.ts'

/** Elements around a text that may say that its line breaks are shown. */
const AROUND_MAX = 6
const MAY_SHOW = /pre-?wrap|pre-?line|break-spaces/i
const BY_STYLE = /white-space(?:-collapse)?\s*:\s*([\w-]+)/i
const BY_CLASS = /(?:^|[\s_-])pre-?(?:wrap|line)(?:$|[\s_-])/i

/** Whether a style or a class may have line breaks shown outside of `pre`. */
export function mayShowBreaks(written: string): boolean {
  return MAY_SHOW.test(written)
}

/** Whether the style or class of an element, or of the nearest around it that says anything of it, has line breaks of the text shown. */
export function showsBreaks(node: ElementNode): boolean {
  let at: ElementNode | null = node
  for (let count = 0; at !== null && count < AROUND_MAX; count += 1, at = at.parent) {
    if (at.attributes.length === 0) continue
    const styled = BY_STYLE.exec(attribute(at.attributes, 'style') ?? '')?.[1]
    if (styled !== undefined) return MAY_SHOW.test(styled) || /^preserve/i.test(styled)
    if (BY_CLASS.test(attribute(at.attributes, 'class') ?? '')) return true
  }
  return false
}
