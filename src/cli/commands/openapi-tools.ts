import type { ListedOpenApiTools } from '../../domain/openapi-tools.ts'
import type { Context } from '../context.ts'
import { EXIT, usageError } from '../exit.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import { rowLines, widthOf } from '../view/rows.ts'
import { excerpt, visible } from '../view/text.ts'

export interface OpenApiToolsFlags extends ClientFlags {
  add?: string
  url?: string
  /** A secret itself is never an argument. */
  connection?: string
  delete?: string
}

/** Lists the APIs whose operations are tools, one a line, after one was added or deleted. */
export async function printApis(context: Context, flags: OpenApiToolsFlags): Promise<number> {
  const { add: name, url, connection, delete: gone } = flags
  const { stdout, stderr, texts } = context
  if ((name === undefined) !== (url === undefined))
    throw usageError(texts.told(name === undefined ? '--add' : '--url', texts.expected('--add NAME --url URL')))
  const { client, close } = await connect(context, { ...flags, kept: name !== undefined || gone !== undefined })
  try {
    const auth = connection === undefined ? {} : { auth: { connection } }
    if (name !== undefined && url !== undefined) await client.openApiTools.create({ name, url, ...auth })
    if (gone !== undefined) await client.openApiTools.delete(gone)
    const { data } = await client.openApiTools.list({ limit: 100 })
    if (data.length === 0) stderr.write(`${texts.noApis}\n`)
    for (const line of rowLines(data.map(cellsOf), widthOf(stdout))) stdout.write(`${line}\n`)
    return EXIT.ok
  } finally {
    await close()
  }
}

function cellsOf({ name, tools_count: count, status, base_url: base, error, description }: ListedOpenApiTools) {
  return [visible(name), String(count), status, visible(base ?? ''), excerpt(error ?? description ?? '')]
}
