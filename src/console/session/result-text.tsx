import { fencedPart } from '../../lib/fence.ts'
import { texts } from '../language.ts'

/** Says of a result that it holds text which nobody here wrote, and why that matters. */
export function OutsideTag() {
  const t = texts().chat
  return (
    <span class="tag outside-tag" title={t.untrustedWhy}>
      {t.untrusted}
      <span class="unseen">: {t.untrustedWhy}</span>
    </span>
  )
}

/** The result of a tool, without the markers that tell the model what comes from outside: that part looks different. */
export function ResultText({ text }: { text: string }) {
  return partsOf(text).map(({ part, isOutside }, index) => (
    <pre key={index} class={isOutside ? 'plain outside' : 'plain'} tabIndex={0}>
      {part}
    </pre>
  ))
}

function partsOf(text: string): { part: string; isOutside: boolean }[] {
  const fenced = fencedPart(text)
  if (fenced === null) return [{ part: text, isOutside: false }]
  const { inside, outer } = fenced
  const own = (part: string) => (part.trim() === '' ? [] : [{ part: part.trim(), isOutside: false }])
  return [
    ...own(text.slice(0, outer.start)),
    { part: text.slice(inside.start, inside.end), isOutside: true },
    ...own(text.slice(outer.end)),
  ]
}
