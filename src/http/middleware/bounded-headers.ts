import { LIMITS } from '../../domain/limits.ts'
import { factory } from '../context.ts'
import { problem } from '../problem.ts'

/** Refuses a request whose headers are too large, before anything else looks at them. */
export const boundedHeaders = factory.createMiddleware(async (c, next) => {
  const bytesMax = LIMITS.http.headerBytesMax
  return isOver(c.req.raw.headers, bytesMax) ? problem(c, { code: 'headers_too_large', bytesMax }) : next()
})

/** Whether names and values have more bytes together; what follows the first byte too many is not looked at. */
function isOver(headers: Headers, bytesMax: number): boolean {
  let bytes = 0
  for (const [name, value] of headers) {
    bytes += name.length + UTF_8.encode(value).byteLength
    if (bytes > bytesMax) return true
  }
  return false
}

const UTF_8 = new TextEncoder()
