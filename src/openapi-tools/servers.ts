import { isObject } from '../lib/json.ts'
import { found, type Found, lacking, type ApiDocument } from './document.ts'

/** The address of the first server that a document names, without the slash that ends it. `url`: where the document was read, which relative
 *  addresses are of. */
export function serverAddress(document: ApiDocument, servers: unknown, url: string | null): Found<string> {
  const [first] = Array.isArray(servers) && servers.length > 0 ? (servers as unknown[]) : [{ url: '/' }]
  const written = isObject(first) && typeof first['url'] === 'string' ? first['url'] : ''
  const filled = withDefaults(written === '' ? '/' : written, isObject(first) ? first['variables'] : undefined)
  const self = typeof document['$self'] === 'string' ? document['$self'] : ''
  const from = url === null ? self : (URL.parse(self, url)?.href ?? url)
  const address = from === '' ? URL.parse(filled) : URL.parse(filled, from)
  if (
    !address ||
    /\{[^{}]+\}/.test(filled) ||
    !/^https?:$/.test(address.protocol) ||
    address.username !== '' ||
    address.password !== ''
  )
    return lacking('the document does not say where the API is (`servers`): give its address as base_url')
  address.search = ''
  address.hash = ''
  return found(address.href.replace(/\/+$/, ''))
}

function withDefaults(address: string, variables: unknown): string {
  return address.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isObject(variables) ? variables[name] : undefined
    const [first] = isObject(variable) && Array.isArray(variable['enum']) ? (variable['enum'] as unknown[]) : []
    const value = isObject(variable) ? (variable['default'] ?? first) : undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole
  })
}
