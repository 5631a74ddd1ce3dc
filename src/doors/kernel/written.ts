import type { AppError } from '../../domain/errors.ts'

/** Where a client wrote what became the content of a message. */
export interface WrittenAt {
  /** All of it. */
  whole: string
  /** Each part of ours; absent: the content is one text. */
  parts?: readonly string[]
  /** How fields of a part are called there, by what they are called in ours. */
  fields: Readonly<Record<string, string>>
}

/** An error of what is said, with its places as the client wrote them. */
export function asWritten(error: AppError, at: WrittenAt): AppError {
  if (!('issues' in error) || !error.issues) return error
  return { ...error, issues: error.issues.map(({ path, message }) => ({ path: placeOf(path, at), message })) }
}

function placeOf(path: string, { whole, parts = [], fields }: WrittenAt): string {
  const [root = '', index = '', field] = path.split('.')
  if (root !== 'task' && root !== 'content') return path
  const part = index === '' ? undefined : parts[Number(index)]
  if (part === undefined) return whole
  return field === undefined ? part : `${part}.${fields[field] ?? field}`
}
