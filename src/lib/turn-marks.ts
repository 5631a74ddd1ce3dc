/** What chat templates write around a turn, where a service lets it through. */
const BEGUN =
  /^\s*(?:(?:<s>\s*)?(?:<\|im_start\|>\s*assistant\s*\n|<\|assistant\|>|<start_of_turn>model\s*\n|<\|start_header_id\|>assistant<\|end_header_id\|>)|<s>)/
const STRUCK_END = '</s>'
const ENDS = ['im_end', 'end', 'endoftext', 'end_of_text', 'eot_id', 'eom_id', 'return', 'user', 'end▁of▁sentence']
  .flatMap((name) => [`<|${name}|>`, `<｜${name}｜>`])
  .concat(STRUCK_END, '<end_of_turn>')

/** A text without the marks that begin and end a turn. Behind a space one is spoken of; `<s>…</s>` amid the words strikes some of them out. */
export function withoutTurnMarks(text: string): string {
  if (!text.includes('<')) return text
  const mark = BEGUN.exec(text)?.[0] ?? ''
  const struckTo = mark.trim() === '<s>' ? text.indexOf(STRUCK_END) : -1
  const isOfWords = struckTo >= 0 && withoutEnds(text.slice(struckTo)) !== ''
  return withoutEnds(isOfWords ? text : text.slice(mark.length))
}

function withoutEnds(text: string): string {
  let strayEnds = text.split(STRUCK_END).length - text.split('<s>').length
  let said = text
  for (let rest = text.trimEnd(); ; rest = rest.trimEnd()) {
    const mark = ENDS.find((one) => rest.endsWith(one))
    if (mark === undefined || (mark === STRUCK_END && strayEnds-- <= 0)) return said
    rest = rest.slice(0, -mark.length)
    if (!/[ \t]$/.test(rest)) said = rest
  }
}
