const ANY_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const WEB_SCHEME = /^https?:/i
/** A host that nobody takes for a word: with a dot, with a port, or `localhost`. */
const HOST = /^(?:[^\s/?#:@]+\.[^\s/?#:@]+|\[[0-9a-f:.]+\]|localhost|[^\s/?#:@]+(?=:\d))\.?(?::\d{1,5})?(?=[/?#]|$)/i

/**
 * The http or https address that somebody meant: white space and `<…>` around it gone, `https://` put before a bare host.
 * Null for anything else; whether it may be visited is not asked here.
 */
export function webAddress(written: string): string | null {
  const bare = written
    .trim()
    .replace(/^<(.*)>$/s, '$1')
    .trim()
  if (bare === '' || /\s/.test(bare)) return null
  const address = WEB_SCHEME.test(bare) ? bare : withScheme(bare)
  return address !== null && URL.canParse(address) ? address : null
}

function withScheme(bare: string): string | null {
  if (ANY_SCHEME.test(bare)) return null
  const host = bare.startsWith('//') ? bare.slice(2) : bare
  return HOST.test(host) ? `https://${host}` : null
}
