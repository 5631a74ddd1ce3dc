import type { AppError } from '../domain/errors.ts'

/** Why nothing was started, in words for the log of a trigger's owner. */
export function reasonOf(error: AppError): string {
  if (error.code === 'bad_signature') return error.reason
  const issue = 'issues' in error ? error.issues[0] : undefined
  return issue ? [error.code, issue.path, issue.message].filter((part) => part !== '').join(': ') : error.code
}
