/** Whether a client that named what it takes takes a media type. Whoever named nothing takes anything. */
export function takes(accepted: readonly string[] | undefined, mediaType: string): boolean {
  if (accepted === undefined || accepted.length === 0) return true
  const type = plain(mediaType)
  return accepted.map(plain).some((one) => one === type || one === '*/*' || (one.endsWith('/*') && isOf(type, one)))
}

function isOf(type: string, range: string): boolean {
  return type.startsWith(range.slice(0, -1))
}

/** Clients of before name `text` alone. */
function plain(mediaType: string): string {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === 'text' ? 'text/plain' : type
}
