import type { ApiParameter, ParameterStyle } from '../../domain/openapi-tools.ts'
import { isObject } from '../../lib/json.ts'
import { textOf } from '../../lib/text.ts'

/** How values are written in requests: RFC 6570 as OpenAPI 3.2 uses it. */

type Encode = (text: string) => string

/** What `allowReserved` leaves as it is. `&`, `=`, `+` and `#` would end the value. */
const RESERVED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi

function encoderOf({ allowReserved }: Pick<ApiParameter, 'allowReserved'>): Encode {
  if (!allowReserved) return encodeURIComponent
  return (text) => encodeURIComponent(text).replaceAll(RESERVED, (escape) => decodeURIComponent(escape))
}

/** A value in a path, with its name where its style says so. */
export function inPath(parameter: ApiParameter, value: unknown): string {
  const { name, style, explode } = parameter
  const encode = encoderOf(parameter)
  if (style === 'label') return `.${listed(value, explode ? '.' : ',', explode, encode)}`
  if (style !== 'matrix') return style === 'json' ? encode(JSON.stringify(value)) : listed(value, ',', explode, encode)
  if (!explode) return `;${name}=${listed(value, ',', false, encode)}`
  if (Array.isArray(value)) return value.map((one) => `;${name}=${encode(textOf(one))}`).join('')
  return isObject(value) ? `;${listed(value, ';', true, encode)}` : `;${name}=${encode(textOf(value))}`
}

/** A value in a header. */
export function inHeader({ style, explode }: ApiParameter, value: unknown): string {
  return style === 'json' ? JSON.stringify(value) : listed(value, ',', explode, (text) => text)
}

/** Names and values of a value in a query, a cookie or a form, escaped. */
export function inQuery(
  parameter: { name: string; style: ParameterStyle; explode: boolean; allowReserved?: true },
  value: unknown,
): string[] {
  const { name, style, explode } = parameter
  const encode = encoderOf(parameter)
  const pair = (key: string, text: string) => `${encodeURIComponent(key)}=${text}`
  if (style === 'json') return [pair(name, encode(JSON.stringify(value)))]
  if (style === 'deepObject') return deep(name, value).map(([key, text]) => pair(key, encode(text)))
  if (isObject(value) && explode) return Object.entries(value).map(([key, one]) => pair(key, encode(textOf(one))))
  if (Array.isArray(value) && explode) return value.map((one) => pair(name, encode(textOf(one))))
  const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
  return [pair(name, listed(value, separator, false, encode))]
}

/** `a[b][0]` and its value for each value within. Source: how Stripe and Rails read forms; OpenAPI leaves what is nested open. */
function deep(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((one, at) => deep(`${name}[${at}]`, one))
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => deep(`${name}[${key}]`, one))
  return [[name, textOf(value)]]
}

/** The parts of a value in a row; members of an object as `name=value` where it is exploded. */
function listed(value: unknown, separator: string, explode: boolean, encode: Encode): string {
  if (Array.isArray(value)) return value.map((one) => encode(textOf(one))).join(separator)
  if (!isObject(value)) return encode(textOf(value))
  return Object.entries(value)
    .map(([key, one]) => `${encode(key)}${explode ? '=' : ','}${encode(textOf(one))}`)
    .join(separator)
}
