import { misfit, operations, resolve, type ResponseObject } from './document.ts'

/** Routes whose path is written without parameters go first, as the router takes them. */
const known = operations
  .map((one) => ({
    ...one,
    pattern: new RegExp(`^${one.path.replaceAll(/\{path\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }))
  .toSorted((a, b) => parametersIn(a.path) - parametersIn(b.path))

function parametersIn(path: string): number {
  return path.split('{').length
}

/** Why an answer is not what the OpenAPI document tells of its route; empty: it is, or there is no such route. */
export async function untold(method: string, path: string, answer: Response): Promise<string[]> {
  const [pathname = ''] = path.split('?')
  const route = known.find((one) => one.method === (method === 'HEAD' ? 'GET' : method) && one.pattern.test(pathname))
  if (!route || answer.status === 405) return []
  const where = `${method} ${route.path} ${answer.status}`
  const told = route.operation.responses[String(answer.status)]
  if (!told) return [`${where}: the status is not told; see \`status\` and \`errors\` of its describe`]
  const { content = {} } = (told.$ref === undefined ? told : resolve(told.$ref)) as ResponseObject
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';')
  if (!isJson(type) || method === 'HEAD')
    return typeFits(type, content, answer) ? [] : [`${where}: ${type} is not told`]
  const media = content[type]
  if (!media) return [`${where}: ${type} is not told`]
  const value: unknown = await answer.clone().json()
  return misfit(value, media.schema).map((why) => `${where}: ${why}`)
}

function typeFits(type: string, content: object, { status }: Response): boolean {
  const isEmpty = type === '' || status === 204 || status === 304 || status === 101
  return isEmpty || type in content || '*/*' in content
}

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}
