import type { SessionState } from '../../domain/state.ts'

/** The same text in the `ETag` header and in the field `etag`; it changes with every event. */
export function etagOf(state: SessionState): string {
  return `"${state.lastSeq}"`
}

/** Whether an `If-Match` header names the tag. Source: RFC 9110 §13.1.1; weak tags never match. */
export function namesEtag(ifMatch: string, etag: string): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => tag.trim() === etag)
}
