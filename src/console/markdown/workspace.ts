import type { Tokens } from 'marked'
import { client } from '../api.ts'
import { sessionAddress } from '../route.ts'
import { openSession } from '../sessions/followed.ts'
import { htmlText } from './frame.ts'

/** How a title says that a span stands for a file of the workspace; nothing that is written in Markdown makes spans. */
const MARKS = { link: 'file ', picture: 'picture ' }
/** A larger picture is only led to. */
const PICTURE_BYTES_MAX = 4 * 1_024 * 1_024
/** Pictures that cannot hold script; an SVG is one too where it is only an image. */
const PICTURE = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)\b/
/** What is still being written is rendered again and again. */
const KEPT_MS = 10_000

/** What stands for a link or picture whose address is a path of the workspace; null: it leads elsewhere. */
export function ofWorkspace(kind: keyof typeof MARKS, { href }: Pick<Tokens.Link, 'href'>, inner: string) {
  const path = pathOf(href)
  return path === null ? null : `<span title="${MARKS[kind]}${htmlText(path)}">${inner}</span>`
}

function pathOf(href: string): string | null {
  if (href === '' || /^([a-z][a-z0-9+.-]*:|\/\/|#|\?)/i.test(href)) return null
  try {
    const path = decodeURIComponent(href).replace(/^(\.?\/)+/, '')
    return path === '' || path.split('/').includes('..') ? null : path
  } catch {
    return null
  }
}

/** Has links lead to the files of the session that is looked at, and shows its pictures. Where none is, the words stand alone. */
export function linkFiles(block: HTMLElement): void {
  const id = openSession.peek()?.id
  for (const [kind, mark] of Object.entries(MARKS))
    for (const place of block.querySelectorAll<HTMLElement>(`span[title^="${mark}"]`)) {
      const path = place.title.slice(mark.length)
      place.removeAttribute('title')
      if (id === undefined) continue
      const link = document.createElement('a')
      link.href = sessionAddress(id, 'files', path)
      link.append(...place.childNodes)
      place.replaceChildren(link)
      if (kind === 'picture') void show(link, id, path)
    }
}

async function show(link: HTMLElement, id: string, path: string): Promise<void> {
  const picture = await read(id, path)
  if (picture === null) return
  const image = document.createElement('img')
  image.alt = link.textContent
  image.src = URL.createObjectURL(picture)
  image.addEventListener('load', () => URL.revokeObjectURL(image.src), { once: true })
  link.replaceChildren(image)
}

const reading = new Map<string, Promise<Blob | null>>()

/** The page shows its key with each request, so that a picture is read before it is shown. Null: it cannot be shown. */
function read(id: string, path: string): Promise<Blob | null> {
  const key = `${id}/${path}`
  const known = reading.get(key)
  if (known) return known
  const bytes = client.value.files.get(id, path).then(
    async (answer) => {
      const picture = await answer.blob()
      return PICTURE.test(picture.type) && picture.size <= PICTURE_BYTES_MAX ? picture : null
    },
    () => null,
  )
  reading.set(key, bytes)
  setTimeout(() => reading.delete(key), KEPT_MS)
  return bytes
}
