/** A stream of which is kept what is written, piece by piece. */
export function writtenOutput() {
  const written: string[] = []
  return { written, write: (text: string) => void written.push(text) }
}
