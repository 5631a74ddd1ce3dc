/** Whether a path is served whoever asks for it, by any name: word that the server is up, and the files of the pages. */
export const isForAll = (path: string): boolean => path === '/healthz' || path.startsWith('/assets/')

/** Whether a path is of a webhook, or of who comes back from a grant: they come by whatever name they know. */
export const isBrought = (path: string): boolean => /^\/(?:hooks|oauth)\//.test(path)

/** Whether the console is at a path for a browser: at its own, or at one that a signed link opens. It comes there also under the status of a refusal. */
export const isOfConsole = (path: string): boolean => /^\/(?:links\/[^/]+)?$/.test(path)
