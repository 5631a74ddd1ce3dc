import type { ListedModel, ModelInfo } from '../../domain/model.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import { rowLines, widthOf } from '../view/rows.ts'
import { oneLine, visible } from '../view/text.ts'

export interface ModelsFlags extends ClientFlags {
  json?: boolean
}

/** Lists the models, or whom else a task can be given to (`kinds`), one a line. */
export async function printModels(
  context: Context,
  flags: ModelsFlags,
  kinds: readonly ListedModel['kind'][],
): Promise<number> {
  const { client, close } = await connect(context, flags, context.texts.language)
  try {
    const { data } = await client.json<{ data: (ListedModel & Partial<ModelInfo>)[] }>({
      path: '/v1/models',
      query: { limit: 100 },
    })
    const shown = data.filter(({ kind }) => kinds.includes(kind))
    if (flags.json) context.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
    else
      for (const line of rowLines(
        shown.map((one) => cellsOf(one, context)),
        widthOf(context.stdout),
      ))
        context.stdout.write(`${line}\n`)
    return EXIT.ok
  } finally {
    await close()
  }
}

/** A model with its price, any other with what it is: in words at a terminal, by the names of the API elsewhere. */
export function cellsOf(
  { id, kind, description, price }: ListedModel & Partial<ModelInfo>,
  { stdout, texts }: Pick<Context, 'stdout' | 'texts'>,
): string[] {
  const cost = price ? texts.priceOf(price.prompt_per_mtok, price.completion_per_mtok, price.currency) : texts.noPrice
  if (kind === 'model') return [visible(id), cost, oneLine(description ?? '', stdout)]
  if (!stdout.isTTY) return [visible(id), kind, oneLine(description ?? '', stdout)]
  const does = kind === 'agent' ? texts.modes[id.split('/')[1] ?? 'agent'] : undefined
  return [visible(id), texts.kinds[kind], oneLine(description ?? does ?? '', stdout)]
}
