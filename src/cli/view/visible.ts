// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g
// eslint-disable-next-line no-control-regex
const CONTROLS_BUT_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g

/** Without control and direction characters: what a page or a model writes must not steer the terminal. Line breaks become
 *  spaces unless they are kept. */
export function visible(text: string, keepLines = false): string {
  const plain = text.replaceAll(/\r\n?/g, '\n')
  return keepLines ? plain.replaceAll(CONTROLS_BUT_LINES, '') : plain.replaceAll(CONTROLS, ' ')
}
