import { filePath, type Files } from '../../domain/file.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ApiBody, ApiOperation } from '../../domain/openapi-tools.ts'
import type { Touched } from '../../domain/tool.ts'
import { contentTypeOf } from '../../lib/content-type.ts'
import { isObject } from '../../lib/json.ts'
import { textOf } from '../../lib/text.ts'
import { checkHeaders } from '../http-request/input.ts'
import { inHeader, inPath, inQuery } from './values.ts'

/** A request as it is sent, but for who we are. */
export interface ApiRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | null
}

export type BuiltRequest = { ok: true; request: ApiRequest } | { ok: false; path: string; problem: RequestProblem }

/** Why a request cannot be made of arguments. */
export type RequestProblem = 'path_value' | 'header' | 'no_file' | 'too_long'

type Arguments = Readonly<Record<string, unknown>>

/** The request that a call of an operation is. */
export async function apiRequestOf(
  operation: ApiOperation,
  baseUrl: string,
  args: Arguments,
  files: Pick<Files, 'read'>,
): Promise<BuiltRequest> {
  const url = addressOf(operation, baseUrl, args)
  if (url === null) return failed(operation.parameters.find((one) => one.in === 'path')?.key ?? '', 'path_value')
  const headers = checkHeaders(headersOf(operation, args))
  if (!headers.ok) return failed(headers.name ?? '', 'header')
  const body =
    operation.body && args[operation.body.key] !== undefined ? await bodyOf(operation.body, args, files) : null
  if (body && 'problem' in body) return failed(operation.body?.key ?? '', body.problem)
  const type = body ? { 'content-type': body.type } : {}
  const own = { accept: 'application/json, */*;q=0.8', 'user-agent': 'Mozilla/5.0 (compatible; yaa)' }
  const request = {
    method: operation.method,
    url,
    headers: { ...own, ...headers.headers, ...type },
    body: body?.bytes ?? null,
  }
  return { ok: true, request }
}

function failed(path: string, problem: RequestProblem): BuiltRequest {
  return { ok: false, path, problem }
}

/** Where a call goes; null: a value would lead to another operation than the one that is called. */
export function addressOf(
  { path, parameters, baseUrl: own }: ApiOperation,
  baseUrl: string,
  args: Arguments,
): string | null {
  let isLost = false
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    const value = parameter ? args[parameter.key] : undefined
    const text = parameter && value !== undefined && value !== null ? inPath(parameter, value) : ''
    if (text === '') isLost = true
    return text
  })
  if (isLost || filled.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) return null
  const query = parameters.flatMap((one) => {
    const value = args[one.key]
    if (value === undefined || value === null) return []
    if (one.in === 'querystring')
      return isObject(value) && one.style === 'form' ? inQuery(one, value) : [encodeURIComponent(JSON.stringify(value))]
    return one.in === 'query' ? inQuery(one, value) : []
  })
  const address = `${own ?? baseUrl}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return URL.canParse(address) ? address : null
}

function headersOf({ parameters }: ApiOperation, args: Arguments): Record<string, string> {
  const given = parameters.filter(({ key }) => args[key] !== undefined && args[key] !== null)
  const headers = given.filter((one) => one.in === 'header').map((one) => [one.name, inHeader(one, args[one.key])])
  const cookies = given.filter((one) => one.in === 'cookie').flatMap((one) => inQuery(one, args[one.key]))
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}) }
}

type Body = { bytes: string | Uint8Array<ArrayBuffer>; type: string } | { problem: RequestProblem }

async function bodyOf(body: ApiBody, args: Arguments, files: Pick<Files, 'read'>): Promise<Body> {
  const value = args[body.key]
  if (body.form === 'multipart') return multipart(body, value, files)
  if (body.form === 'file') {
    const bytes = fileBytes(value, files)
    return bytes ? { bytes, type: body.mediaType } : { problem: 'no_file' }
  }
  const text = body.form === 'json' ? JSON.stringify(value) : body.form === 'text' ? textOf(value) : formOf(body, value)
  return text.length > LIMITS.request.bodyCharsMax ? { problem: 'too_long' } : { bytes: text, type: body.mediaType }
}

function formOf({ fields }: ApiBody, value: unknown): string {
  const members = isObject(value) ? Object.entries(value) : []
  return members
    .filter(([, one]) => one !== undefined && one !== null)
    .flatMap(([name, one]) => inQuery({ name, ...(fields[name] ?? plainField(one)) }, one))
    .join('&')
}

/** What has parts of its own is JSON, a list of plain values each by itself (OpenAPI, "Encoding Object"). */
function plainField(value: unknown): { style: 'json' | 'form'; explode: boolean } {
  const hasParts = Array.isArray(value) ? value.some((one) => typeof one === 'object') : isObject(value)
  return { style: hasParts ? 'json' : 'form', explode: true }
}

async function multipart(body: ApiBody, value: unknown, files: Pick<Files, 'read'>): Promise<Body> {
  const parts: FormPart[] = []
  for (const [name, given] of Object.entries(isObject(value) ? value : {})) {
    for (const one of Array.isArray(given) ? (given as unknown[]) : [given]) {
      if (one === undefined || one === null) continue
      const part = body.files.includes(name) ? filePart(name, one, files) : fieldPart(name, one)
      if (part === null) return { problem: 'no_file' }
      parts.push(part)
    }
  }
  return await multipartOf(parts)
}

/** What has parts of its own is JSON (OpenAPI, "Encoding Object"). */
function fieldPart(name: string, value: unknown): FormPart {
  const type = typeof value === 'object' ? 'application/json' : null
  return { name, fileName: null, type, content: textOf(value) }
}

function filePart(name: string, value: unknown, files: Pick<Files, 'read'>): FormPart | null {
  const content = fileBytes(value, files)
  const path = textOf(value)
  return content && { name, fileName: path.split('/').at(-1) ?? 'file', type: contentTypeOf(path, content), content }
}

function fileBytes(value: unknown, files: Pick<Files, 'read'>): Uint8Array<ArrayBuffer> | null {
  const path = typeof value === 'string' ? filePath(value) : null
  const bytes = path?.ok ? files.read(path.path) : null
  return bytes ? Uint8Array.from(bytes) : null
}

/** What a call reaches: its address, and files that it sends. `carries`: it takes words along beside the address. */
export function effectsOf(operation: ApiOperation, baseUrl: string, args: Arguments): Touched {
  const { body, parameters } = operation
  const value = body ? args[body.key] : undefined
  const sent =
    body?.form === 'file'
      ? [value]
      : (body?.files ?? []).flatMap((name) => (isObject(value) ? [value[name]].flat() : []))
  const paths = sent.flatMap((one) => {
    const path = typeof one === 'string' ? filePath(one) : null
    return path?.ok ? [path.path] : []
  })
  const isBeside = parameters.some(
    ({ in: place, key }) => (place === 'header' || place === 'cookie') && args[key] !== undefined,
  )
  const carries = value !== undefined || isBeside
  return {
    addresses: [addressOf(operation, baseUrl, args) ?? operation.baseUrl ?? baseUrl],
    paths,
    ...(carries ? { carries } : {}),
  }
}

/** A part of a form. `fileName` null: a field. `type` null: plain text. */
interface FormPart {
  name: string
  fileName: string | null
  type: string | null
  content: string | Uint8Array<ArrayBuffer>
}

/** A form as `multipart/form-data` (RFC 7578). FormData gives each part that has a type a name of a file, too, and servers tell files from fields by that. */
async function multipartOf(parts: readonly FormPart[]): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string }> {
  const boundary = crypto.randomUUID().replaceAll('-', '')
  const pieces = parts.flatMap(({ name, fileName, type, content }) => {
    const file = fileName === null ? '' : `; filename="${quoted(fileName)}"`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n`
    return [head, type === null ? '' : `Content-Type: ${type}\r\n`, '\r\n', content, '\r\n']
  })
  const bytes = new Uint8Array(await new Blob([...pieces, `--${boundary}--\r\n`]).arrayBuffer())
  return { bytes, type: `multipart/form-data; boundary=${boundary}` }
}

/** As HTML has it ("Multipart form data"). */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
