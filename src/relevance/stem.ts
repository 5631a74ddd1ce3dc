const VOWEL = /[aeiouy]/
const LEAST = 4

/** An English word without its ending, so that forms of a word are one: a light stemmer that cuts plurals, `-ed`, `-ing`,
 *  `-ly` and a final `e`. The first two letters always stay. */
export function stem(word: string): string {
  if (word.length < LEAST || !/^[a-z]+$/.test(word)) return word
  return withoutFinalE(withoutVerbEnding(withoutPlural(word)))
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > LEAST) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word
}

function withoutVerbEnding(word: string): string {
  const [ending] = /(?:ing|ied|ed|ly)$/.exec(word) ?? []
  if (ending === undefined) return word
  const rest = word.slice(0, -ending.length)
  if (rest.length < LEAST - 1 || !VOWEL.test(rest)) return word
  return ending === 'ied' ? `${rest}y` : rest.replace(/([bdgmnprt])\1$/, '$1')
}

function withoutFinalE(word: string): string {
  return word.length > LEAST && word.endsWith('e') ? word.slice(0, -1) : word
}
