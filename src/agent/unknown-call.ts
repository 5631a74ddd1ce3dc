import { CLOSE, OPEN, type Tags } from '../lib/tags.ts'
import { isHtmlElement } from './html-elements.ts'

interface OpenElement {
  tag: number
  nameId: number
  /** Whether an element within it was closed. */
  holdsElement: boolean
}

/** The name of the first element among the tags numbered `visible` that looks like a call: closed, holding another closed
 *  element or nothing, and not of HTML. Null if there is none. Linear in the number of tags. */
export function firstUnknownCall(tags: Tags, visible: readonly number[]): string | null {
  const search = new ElementSearch(tags)
  visible.forEach((tag, index) => {
    if (tags.kinds[tag] === OPEN) search.open(tag)
    if (tags.kinds[tag] === CLOSE) search.close(tag, visible[index - 1] ?? -1)
  })
  return search.first < 0 ? null : tags.name(search.first)
}

class ElementSearch {
  readonly #tags: Tags
  readonly #stack: OpenElement[] = []
  readonly #openByName = new Map<number, number>()
  /** The first call found so far, by the number of its opening tag; -1 if none. */
  first = -1

  constructor(tags: Tags) {
    this.#tags = tags
  }

  open(tag: number): void {
    const nameId = this.#tags.nameIds[tag] ?? -1
    this.#stack.push({ tag, nameId, holdsElement: false })
    this.#count(nameId, 1)
  }

  close(tag: number, before: number): void {
    const nameId = this.#tags.nameIds[tag] ?? -1
    if ((this.#openByName.get(nameId) ?? 0) === 0) return
    let holds = false
    for (let element = this.#pop(); element !== undefined; element = this.#pop()) {
      holds ||= element.holdsElement
      if (element.nameId !== nameId) continue
      this.#closed(element, holds || (before === element.tag && this.#tags.isBlankAfter(before)))
      return
    }
  }

  #pop(): OpenElement | undefined {
    const element = this.#stack.pop()
    if (element !== undefined) this.#count(element.nameId, -1)
    return element
  }

  #closed(element: OpenElement, isCall: boolean): void {
    const parent = this.#stack.at(-1)
    if (parent !== undefined) parent.holdsElement = true
    if (!isCall || isHtmlElement(this.#tags.name(element.tag))) return
    if (this.first < 0 || element.tag < this.first) this.first = element.tag
  }

  #count(nameId: number, by: number): void {
    this.#openByName.set(nameId, (this.#openByName.get(nameId) ?? 0) + by)
  }
}
