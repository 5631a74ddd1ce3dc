export type PageKind = 'html' | 'json' | 'text' | 'markdown' | 'csv' | 'xml' | 'feed' | 'sitemap' | 'binary'

/** What a server sent. `bytes` without transfer or content encoding; `contentType` as in the header. */
export interface PageSource {
  bytes: Uint8Array
  contentType: string | null
  url: string
  /** Of all of it in bytes, where only its beginning was read. */
  size?: number | null
}

/** What is known of a page beside its text. Addresses are absolute; times as the page wrote them. */
export interface PageMetadata {
  title: string | null
  byline: string | null
  publishedTime: string | null
  language: string | null
  site: string | null
  canonicalUrl: string | null
}

/** A page as text. `text` is the same without markup. `confidence` 0–1: how sure it is that boilerplate is out and the rest in. */
export interface ReadPage extends PageMetadata {
  kind: PageKind
  mediaType: string
  confidence: number
  markdown: string
  text: string
}

export const NO_METADATA: PageMetadata = {
  title: null,
  byline: null,
  publishedTime: null,
  language: null,
  site: null,
  canonicalUrl: null,
}
