import type { Context } from '../context.ts'
import { EXIT, usageError } from '../exit.ts'
import { parseJson } from '../../lib/json.ts'
import { connect, type ClientFlags } from '../run/connect.ts'
import { openTerminal } from '../run/terminal.ts'
import type { Client } from '../../client/client.ts'
import { readYaml } from '../../skills/workflow-yaml.ts'
import { readJsonObject, readText } from '../serve/config-file.ts'
import { rowLines, widthOf } from '../view/rows.ts'
import { oneLine, visible } from '../view/text.ts'
import { runAction, task, type TaskFlags } from './task.ts'

export interface RunFlags extends TaskFlags {
  /** `NAME=VALUE` each; a value that is JSON is that, else a text. */
  input?: string[]
  /** A file with all of them, a JSON object. */
  inputs?: string
  /** What the run is to do, in words, where the workflow takes some. */
  task?: string
}

/** Runs a workflow: progress on stderr, what it gave on stdout; exit codes as of a task. */
export async function runWorkflow(context: Context, flags: RunFlags, name: string): Promise<number> {
  const { input = [], inputs: file, task: words, ...more } = flags
  const all = file === undefined ? {} : readJsonObject(file, context.texts)
  const named = Object.fromEntries(input.map((one) => namedValue(one, context)))
  const inputs = { ...all, ...named }
  return task(context, { ...more, workflow: { name, inputs } }, words ?? JSON.stringify(inputs))
}

function namedValue(given: string, { texts }: Context): [string, unknown] {
  const at = given.indexOf('=')
  if (at < 1) throw usageError(texts.told(`--input ${given}`, texts.expected('NAME=VALUE')))
  const value = given.slice(at + 1)
  return [given.slice(0, at), parseJson(value) ?? value]
}

/** Does a step of a workflow once more that has ended, and what goes by it; else as `run`. */
export async function retryWorkflowStep(context: Context, flags: TaskFlags, id: string, step: string): Promise<number> {
  const connected = await connect(context, { ...flags, kept: true })
  try {
    const session = await connected.client.sessions.get(id, { messages: 'none' })
    const terminal = await openTerminal(context, connected.client)
    return await runAction(context, flags, { session, action: { type: 'retry-step', step }, terminal }, connected)
  } finally {
    await connected.close()
  }
}

export interface WorkflowsFlags extends ClientFlags {
  json?: boolean
}

/** Lists the workflows, one a line; or adds files first, each of them as YAML, which JSON is, too. */
export async function workflows(context: Context, flags: WorkflowsFlags, files: readonly string[]): Promise<number> {
  const given = files.map((file) => fileOf(file, context))
  const { client, close } = await connect(context, { ...flags, kept: files.length > 0 }, context.texts.language)
  try {
    for (const { name, text } of given) {
      const { version } = await client.workflows.put(name, text)
      context.stdout.write(`${context.texts.workflowAdded(visible(name), version)}\n`)
    }
    return files.length > 0 ? EXIT.ok : await list(client, context, flags)
  } finally {
    await close()
  }
}

function fileOf(file: string, { texts }: Context): { name: string; text: string } {
  const text = readText(file, texts)
  const read = readYaml(text)
  if (!read.ok) throw usageError(texts.noWorkflowFile(file, read.issues[0]?.message ?? ''))
  const { name } = read.value
  if (typeof name !== 'string') throw usageError(texts.noWorkflowFile(file, `name: ${texts.expected('NAME')}`))
  return { name, text }
}

async function list(client: Client, { stdout }: Context, { json }: WorkflowsFlags): Promise<number> {
  const page = await client.workflows.list({ limit: 100 })
  if (json) stdout.write(`${JSON.stringify(page, null, 2)}\n`)
  else {
    const rows = page.data.map(({ name, version, description }) => [
      visible(name),
      String(version),
      oneLine(description, stdout),
    ])
    for (const line of rowLines(rows, widthOf(stdout))) stdout.write(`${line}\n`)
  }
  return EXIT.ok
}
