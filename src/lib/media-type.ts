/** A `Content-Type` header in its parts, both lower case; empty and null where it says nothing. */
export interface MediaType {
  type: string
  charset: string | null
}

export function parseMediaType(header: string | null): MediaType {
  const [type = '', ...parameters] = (header ?? '').split(';')
  const charset = parameters.map(charsetOf).find((value) => value !== null) ?? null
  return { type: type.trim().toLowerCase(), charset }
}

function charsetOf(parameter: string): string | null {
  const [name = '', value = ''] = parameter.split('=')
  const label = value
    .trim()
    .replace(/^["']|["']$/g, '')
    .toLowerCase()
  return name.trim().toLowerCase() === 'charset' && label !== '' ? label : null
}
