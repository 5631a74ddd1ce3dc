/** `{x}`: the place; `{n}`: a number of its own in each document. `reworded`: the answer without any word of its question. */
export interface Topic {
  heading: string
  question: string
  answer: string
  reworded: string
  asides: readonly [string, ...string[]]
}
