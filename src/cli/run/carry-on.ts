/** The command that carries a session on, ready to be pasted into a shell. */
export const carryOn = (id: string, place: readonly string[]): string =>
  ['npx yaa chat --session', id, ...place.map(quoted)].join(' ')

const quoted = (word: string) => (/^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)
