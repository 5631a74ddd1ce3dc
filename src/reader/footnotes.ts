import { attribute, collapse, type ElementNode, rawText } from './node.ts'

const MARK = /^[[(]?(\d{1,3}|[a-z]|[*†‡§])[\])]?$/i
const REFERENCE = /foot-?note|note-?ref|reference|endnote/i
/** An arrow, with a mark of how it is drawn behind it or not. */
const BACK = /^(?:[↩⤴⬆↑⏎^\s]|\ufe0e|\ufe0f)+$/u
/** Stands beside a heading and leads to it. */
const PERMALINK = /^(?:[#¶§]|🔗\ufe0f?)$/u
const BACK_NAMES = /back-?ref|backlink|reversefootnote|footnote-back|footnote-return/i
const NOTES = /(?:^|[\s_-])(?:foot-?notes?|endnotes?|references|reflist)(?:$|[\s_-])/i
/** Elements around a list of notes that may be named after them. */
const AROUND = 3

/** What a link to a note in the same page is called in it, as `[^1]`; '' for one that leads back from a note, or to where it stands. Null: it is another link. */
export function noteReference(link: ElementNode): string | null {
  if (attribute(link.attributes, 'href')?.startsWith('#') !== true || link.chars > 12) return null
  const text = collapse(rawText(link))
  const names = `${attribute(link.attributes, 'class') ?? ''} ${attribute(link.attributes, 'role') ?? ''}`
  if (BACK.test(text) || BACK_NAMES.test(names)) return ''
  if (PERMALINK.test(text) && !isRaised(link)) return ''
  const mark = MARK.exec(text)?.[1]
  return mark !== undefined && (isRaised(link) || REFERENCE.test(names)) ? `[^${mark}]` : null
}

function isRaised(link: ElementNode): boolean {
  const inner = link.children.some((child) => typeof child !== 'string' && child.name === 'sup')
  return inner || link.parent?.name === 'sup' || link.parent?.parent?.name === 'sup'
}

/** Whether the items of a list are the notes of a page. */
export function isNotes(list: ElementNode): boolean {
  let node: ElementNode | null = list
  for (let count = 0; node !== null && count < AROUND; count += 1) {
    const { attributes } = node
    if (NOTES.test(attribute(attributes, 'class') ?? '') || attribute(attributes, 'role') === 'doc-endnotes')
      return true
    node = node.parent
  }
  return false
}
