import type { ResponseObject, Told } from './document.ts'

/** Looks at the answers of one document's server: why an answer is not what the document tells of its route; empty: it is, or there
 *  is no such route. */
export function watcherOf(told: Told): (method: string, path: string, answer: Response) => Promise<string[]> {
  /** Routes whose path is written without parameters go first, as the router takes them. */
  const routes = told.operations
    .map((one) => ({ ...one, pattern: patternOf(one.path) }))
    .toSorted((a, b) => parametersIn(a.path) - parametersIn(b.path))
  return async (method, path, answer) => {
    const [pathname = ''] = path.split('?')
    const route = routes.find(
      (one) => one.method === (method === 'HEAD' ? 'GET' : method) && one.pattern.test(pathname),
    )
    if (!route || answer.status === 405) return []
    const where = `${method} ${route.path} ${answer.status}`
    const answered = route.operation.responses[String(answer.status)]
    if (!answered) return [`${where}: the status is not told; see \`status\` and \`errors\` of its describe`]
    const { content = {} } = (answered.$ref === undefined ? answered : told.resolve(answered.$ref)) as ResponseObject
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';')
    // Bytes are of the type that their file has.
    if ('application/octet-stream' in content && answer.ok) return []
    if (!isJson(type) || method === 'HEAD')
      return typeFits(type, content, answer) ? [] : [`${where}: ${type} is not told`]
    const media = content[type]
    if (!media) return [`${where}: ${type} is not told`]
    const value: unknown = await answer.clone().json()
    return told.misfit(value, media.schema).map((why) => `${where}: ${why}`)
  }
}

/** A delivery to a callback as it came. */
export interface ToldDelivery {
  headers: Readonly<Record<string, string>>
  body: { type: string }
}

/** Why a delivery is not what the document tells of its event; empty: it is. */
export function untoldOfDelivery(told: Told, { headers, body }: ToldDelivery): string[] {
  const operation = told.document.webhooks[body.type]?.['post']
  const [[type, media] = []] = Object.entries(operation?.requestBody?.content ?? {})
  if (!operation || !type || !media) return [`${body.type} is not told`]
  const named = operation.parameters.filter((one) => one['in'] === 'header' && one['required'] === true)
  const missing = named.flatMap(({ name = '' }) => (headers[name] ? [] : [`${body.type}: ${name} is missing`]))
  const isOfType = headers['content-type']?.split(';')[0] === type
  return [...missing, ...(isOfType ? [] : [`${body.type}: it is not ${type}`]), ...told.misfit(body, media.schema)]
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('{path}', '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

function parametersIn(path: string): number {
  return path.split('{').length
}

function typeFits(type: string, content: object, { status }: Response): boolean {
  const isEmpty = type === '' || status === 204 || status === 304 || status === 101
  return isEmpty || type in content || '*/*' in content
}

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}
