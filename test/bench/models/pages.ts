import { createServer } from 'node:http'
import { onLoopback, type OnLoopback } from '../../support/on-loopback.ts'
import type { ModelTask } from './task.ts'

/** The pages that tasks read, on a free port of loopback. */
export function startPages(tasks: readonly ModelTask[]): Promise<OnLoopback> {
  const pages = new Map(tasks.map((task) => [`/${task.kind}/${task.name}`, pageOf(task)]))
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    if (page === undefined || page === null) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  return onLoopback(server)
}

/** The page of a task as HTML; null: it has none. */
export function pageOf({ page, language }: ModelTask): string | null {
  if (page === undefined) return null
  const paragraphs = page.paragraphs.map((text) => `<p>${text}</p>`).join('\n')
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${page.title}</title></head><body>
<main><article><h1>${page.title}</h1>${paragraphs}</article></main></body></html>`
}
