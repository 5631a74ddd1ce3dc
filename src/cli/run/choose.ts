import { isCancel, select } from '@clack/prompts'
import { visible } from '../view/text.ts'
import { type Chat, notice, say } from './conversation.ts'

interface Choice {
  value: string
  label: string
}

/** Rows of a list that are shown at once. */
const SHOWN_MAX = 10

/** The argument, or a choice at a terminal; without both the options are listed and nothing is chosen. `hasMore`: there are others than these. */
export async function choose(
  state: Chat,
  message: string,
  options: Choice[],
  argument: string | undefined,
  hasMore = false,
): Promise<string | undefined> {
  const { stdin, stderr, texts } = state.context
  if (argument !== undefined) {
    if (hasMore || options.some(({ value }) => value === argument)) return argument
    say(state, 'bad', texts.noChoice(visible(argument), options.map(({ value }) => value).join(' | ')))
    return undefined
  }
  if (!state.terminal.interactive) {
    for (const { label } of options) notice(state, label)
    return undefined
  }
  const chosen = await select({
    message: texts.aside(message, texts.pickKeys),
    options,
    input: stdin,
    output: stderr,
    maxItems: SHOWN_MAX,
    // They are in English alone.
    showInstructions: false,
  })
  return isCancel(chosen) ? undefined : chosen
}
