import type { Files } from '../../domain/file.ts'

/** A workspace in which a list leaves out what a call may not show. What a call names is decided on before it is made. */
export function visibleFiles(files: Files, mayShow: (path: string) => boolean): Files {
  return {
    list: (query) => files.list(query).filter(({ path }) => mayShow(path)),
    stat: (path) => files.stat(path),
    read: (path) => files.read(path),
    total: () => files.total(),
  }
}
