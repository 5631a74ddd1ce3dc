import type { AgentResponseData } from '../../domain/session.ts'
import type { Context } from '../context.ts'
import { EXIT, usageError } from '../exit.ts'
import { jsonFile } from '../run/json-file.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import { isObject } from '../../lib/json.ts'

export interface ProcessFlags extends ClientFlags {
  /** `-`: standard input. */
  file: string
}

/** Runs a session that a file or standard input holds (SessionData, seed 001) and prints what came of it (AgentResponseData); the server keeps nothing. Exit 0:
 *  completed; 1: it failed; 3: it waits, or has more to do: put the answer into the file and go on. */
export async function processFile(context: Context, flags: ProcessFlags): Promise<number> {
  const { name, value: session } = await jsonFile(flags.file, context)
  if (!isObject(session))
    throw usageError(
      context.texts.told(name, context.texts.expected(context.texts.aside(context.texts.jsonObject, 'SessionData'))),
    )
  const { client, close } = await connect(context, flags)
  try {
    const answer = await client.json<AgentResponseData>({ method: 'POST', path: '/v1/agent', body: session })
    context.stdout.write(`${JSON.stringify(answer, null, 2)}\n`)
    if (answer.status === 'completed') return EXIT.ok
    return answer.status === 'interrupted' || answer.status === 'in_progress' ? EXIT.waits : EXIT.failed
  } finally {
    await close()
  }
}
