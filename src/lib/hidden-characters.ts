/** Characters that change how others are read and are not seen themselves: directions (Unicode TR9), joiners, spaces of no width, soft
 *  hyphens, fillers, tags, variation selectors that no picture needs, and controls but for tab and line break. Source: Unicode, Default_Ignorable_Code_Point and Bidi_Control. */
const HIDDEN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu

/** A text that a human is to judge, with what could not be seen in it written as JSON would escape it. */
export function withHiddenShown(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) =>
    Array.from({ length: hidden.length }, (_, at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  )
}
