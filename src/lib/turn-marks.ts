/** What chat templates write around a turn, where a service lets it through. */
const MARK =
  '(?:<[|｜](?:im_end|end|endoftext|end_of_text|eot_id|eom_id|return|user|end▁of▁sentence)[|｜]>|</s>|<end_of_turn>)'
const BEGUN =
  /^\s*(?:<s>\s*)?(?:<\|im_start\|>\s*assistant\s*\n|<\|assistant\|>|<start_of_turn>model\s*\n|<\|start_header_id\|>assistant<\|end_header_id\|>|<s>)/
const ENDED = new RegExp(`(?<![ \\t])${MARK}(?:\\s*${MARK})*\\s*$`, 'u')

/** A text without the marks that begin and end a turn. Behind a space one is spoken of. */
export function withoutTurnMarks(text: string): string {
  if (!text.includes('<')) return text
  const said = text.slice(BEGUN.exec(text)?.[0].length ?? 0)
  return said.slice(0, ENDED.exec(said)?.index ?? said.length)
}
