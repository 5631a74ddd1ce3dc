import type { AppError, InputIssue } from '../../domain/errors.ts'

/** A content of theirs: where in the request it is, and what; a part of it that is null is left out. */
export interface SaidAt {
  at: string
  content: unknown
}

/** How fields of a part are called in a request of theirs, by what they are called in ours. A picture's address is `image_url` where it cannot
 *  be read or fetched, and `image_url.url` where it is no address. */
export type FieldNames = (part: Readonly<Record<string, unknown>>) => Readonly<Record<string, string>>

/** Where in a request of theirs places of ours are, so that a refusal names what the client sent. */
export class Places {
  readonly #theirs = new Map<string, string>()
  readonly #namesOf: FieldNames

  constructor(namesOf: FieldNames) {
    this.#namesOf = namesOf
  }

  put(ours: string, theirs: string): void {
    this.#theirs.set(ours, theirs)
  }

  /** A content of ours that is made of some of theirs, part by part. */
  putContent(ours: string, made: readonly SaidAt[]): void {
    const whole = made.at(-1)?.at
    if (whole !== undefined) this.put(ours, whole)
    const parts = made.flatMap(({ at, content }) =>
      Array.isArray(content)
        ? content.flatMap((part: unknown, index) =>
            part === null ? [] : [{ at: `${at}.${index}`, part: Object(part) as Record<string, unknown> }],
          )
        : [{ at, part: {} }],
    )
    for (const [index, { at, part }] of parts.entries()) {
      this.put(`${ours}.${index}`, at)
      for (const [name, theirs] of Object.entries(this.#namesOf(part)))
        this.put(`${ours}.${index}.${name}`, `${at}.${theirs}`)
    }
  }

  /** An error whose places are those of the request. */
  of(error: AppError): AppError {
    if (!('issues' in error) || !error.issues) return error
    return { ...error, issues: error.issues.map((issue) => this.#moved(issue)) }
  }

  #moved({ path, message }: InputIssue): InputIssue {
    const names = path.split('.')
    for (let length = names.length; length > 0; length--) {
      const theirs = this.#theirs.get(names.slice(0, length).join('.'))
      if (theirs !== undefined) return { path: [theirs, ...names.slice(length)].join('.'), message }
    }
    return { path, message }
  }
}
