import { itemId } from './ids.ts'
import { closingNumber, numberAt, type Region } from './sequence.ts'
import type { McpCallItem, MessageItem, OutputItem, OutputText, ReasoningItem } from './shapes.ts'
import type { FrameWriter } from './writer.ts'

/** How tools of ours are told: as those of an MCP server with this label. */
const SERVER_LABEL = 'yaa'

/** A text that is being told: words of a message, or thoughts. */
interface OpenText {
  kind: 'words' | 'thoughts'
  index: number
  /** What is the same in the frames of all its pieces, in JSON. */
  members: string
  /** What was told. */
  text: string
  /** What an earlier try of the same call told, and this one has not said yet. */
  behind: string
  /** Characters of an earlier try that the reader has and nobody else. */
  skip: number
  /** The place in the numbers where it was last told. */
  seq: number
  region: Region
}

/** A text of one model call: its `said` is told as far as it is not yet. */
export interface Speech {
  seq: number
  region: Region
  /** All of it by now. */
  said: string
}

/** The items of a response as one reader is told them. What is told is never taken back. */
export class TellingItems {
  readonly items: OutputItem[] = []
  readonly #writer: FrameWriter
  readonly #token: () => string
  #open: OpenText[] = []

  constructor(writer: FrameWriter, token: () => string) {
    this.#writer = writer
    this.#token = token
  }

  #id(prefix: string): string {
    return itemId(prefix, this.#token(), this.items.length)
  }

  openOf(kind: OpenText['kind']): OpenText | null {
    return this.#open.find((one) => one.kind === kind) ?? null
  }

  /** The next piece of what a call says, or of its thoughts. */
  tell(kind: OpenText['kind'], { seq, region, said }: Speech, piece: string): void {
    if (piece === '') return
    let open = this.openOf(kind)
    if (open && open.seq === seq && open.region !== region) {
      this.#writer.place(closingNumber(seq, open.region))
      this.close(kind, 'commentary')
      open = null
    }
    if (!open) {
      this.#writer.place(numberAt(seq, region))
      open = this.#begin(kind, { seq, region })
    }
    Object.assign(open, { seq, region })
    const rest = this.#beyond(open, piece)
    if (rest === null) return this.#tellAnew(open, { seq, region, said })
    this.#append(open, rest, said.length - rest.length)
  }

  /** What of a piece goes beyond what an earlier try told; null: it says something else. */
  #beyond(open: OpenText, piece: string): string | null {
    if (open.skip > 0) {
      const skipped = piece.slice(0, open.skip)
      open.skip -= skipped.length
      open.text += skipped
      return piece.slice(skipped.length)
    }
    const same = Math.min(open.behind.length, piece.length)
    if (!open.behind.startsWith(piece.slice(0, same))) return null
    open.behind = open.behind.slice(same)
    return piece.slice(same)
  }

  /** The words of another try differ: what the first told stays as it is, and they are an item of their own. */
  #tellAnew(first: OpenText, { said }: Speech): void {
    const { kind, seq, region } = first
    first.behind = ''
    this.#writer.place(numberAt(seq, region))
    this.close(kind, 'commentary', 'incomplete')
    const open = this.#begin(kind, { seq, region })
    this.#append(open, said, 0)
  }

  #append(open: OpenText, text: string, from: number): void {
    const { kind, members, seq, region } = open
    open.text += text
    const type = kind === 'words' ? 'response.output_text.delta' : 'response.reasoning_summary_text.delta'
    this.#writer.putText(type, members, { seq, region, from, text })
  }

  #begin(kind: OpenText['kind'], { seq, region }: Pick<OpenText, 'seq' | 'region'>): OpenText {
    const index = this.items.length
    const item: MessageItem | ReasoningItem =
      kind === 'words'
        ? { id: this.#id('msg'), type: 'message', status: 'in_progress', role: 'assistant', content: [] }
        : { id: this.#id('rs'), type: 'reasoning', status: 'in_progress', summary: [] }
    this.#writer.put('response.output_item.added', { output_index: index, item })
    this.items.push(item)
    const at = kind === 'words' ? { content_index: 0, logprobs: [] } : { summary_index: 0 }
    const members = JSON.stringify({ ...this.#at(index), ...at }).slice(1, -1)
    const open = { kind, index, members, text: '', behind: '', skip: 0, seq, region }
    this.#open.push(open)
    if (kind === 'words')
      this.#writer.put('response.content_part.added', { ...this.#at(index), content_index: 0, part: textPart('') })
    else
      this.#writer.put('response.reasoning_summary_part.added', {
        ...this.#at(index),
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      })
    return open
  }

  /** The call that was writing broke off, and is made again: what it told is expected again. `known`: characters of it that the reader has
   *  though nobody else does. */
  retried(seq: number, known: (region: Region) => number): void {
    for (const open of this.#open) Object.assign(open, { behind: open.text, skip: open.skip })
    const lost: [OpenText['kind'], Region][] = [
      ['thoughts', 1],
      ['words', 2],
      ['words', 3],
    ]
    for (const [kind, region] of lost) {
      const chars = known(region)
      if (chars === 0 || this.openOf(kind)) continue
      this.#writer.place(numberAt(seq, region))
      this.#begin(kind, { seq, region }).skip = chars
    }
  }

  /** A text is over. Its frames come where the writer stands. */
  close(
    kind: OpenText['kind'],
    phase: 'commentary' | 'final_answer',
    status: 'completed' | 'incomplete' = 'completed',
  ): void {
    const open = this.openOf(kind)
    if (!open) return
    this.#open = this.#open.filter((one) => one !== open)
    const text = open.text.slice(0, open.text.length - open.behind.length)
    if (kind === 'words') this.#closeWords(open.index, text, { phase, status })
    else this.#closeThoughts(open.index, text, status)
  }

  /** Thoughts are over wherever something else begins. */
  closeThoughts(): void {
    const open = this.openOf('thoughts')
    if (!open) return
    this.#writer.place(closingNumber(open.seq, open.region))
    this.close('thoughts', 'commentary')
  }

  /** Clients put the words of all messages together: what is said on the way ends with a blank line. */
  #closeWords(index: number, said: string, how: Required<Pick<MessageItem, 'phase' | 'status'>>): void {
    const at = { ...this.#at(index), content_index: 0 }
    const delta = how.phase === 'commentary' ? '\n\n'.slice(/\n{0,2}$/.exec(said)?.[0].length) : ''
    const text = said + delta
    if (delta !== '') this.#writer.put('response.output_text.delta', { ...at, logprobs: [], delta })
    this.#writer.put('response.output_text.done', { ...at, text, logprobs: [] })
    this.#writer.put('response.content_part.done', { ...at, part: textPart(text) })
    this.#done(index, { id: at.item_id, type: 'message', role: 'assistant', content: [textPart(text)], ...how })
  }

  #closeThoughts(index: number, text: string, status: ReasoningItem['status']): void {
    const at = { ...this.#at(index), summary_index: 0 }
    const part = { type: 'summary_text' as const, text }
    this.#writer.put('response.reasoning_summary_text.done', { ...at, text })
    this.#writer.put('response.reasoning_summary_part.done', { ...at, part })
    this.#done(index, { id: at.item_id, type: 'reasoning', summary: [part], status })
  }

  /** Something that is known whole at once, as thoughts. */
  note(text: string): void {
    const index = this.items.length
    const item = { id: this.#id('rs'), type: 'reasoning', status: 'in_progress', summary: [] } as const
    this.#added({ ...item, summary: [] })
    const at = { item_id: item.id, output_index: index, summary_index: 0 }
    this.#writer.put('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } })
    this.#writer.put('response.reasoning_summary_text.delta', { ...at, delta: text })
    this.#closeThoughts(index, text, 'completed')
  }

  /** A call of a tool that the caller runs. */
  functionCall(callId: string, name: string, args: string): void {
    const index = this.items.length
    const item = { id: this.#id('fc'), type: 'function_call', call_id: callId, name } as const
    this.#added({ ...item, status: 'in_progress', arguments: '' })
    this.#writer.put('response.function_call_arguments.delta', { item_id: item.id, output_index: index, delta: args })
    this.#writer.put('response.function_call_arguments.done', {
      item_id: item.id,
      output_index: index,
      name,
      arguments: args,
    })
    this.#done(index, { ...item, status: 'completed', arguments: args })
  }

  /** A call that waits until somebody approves it. */
  approvalRequest(id: string, name: string, args: string): void {
    const item = { id, type: 'mcp_approval_request', server_label: SERVER_LABEL, name, arguments: args } as const
    this.#added(item)
    this.#done(this.items.length - 1, item)
  }

  /** A tool of ours is called; gives the place of the call. */
  toolCall(name: string, args: string): number {
    const call = { id: this.#id('mcp'), type: 'mcp_call', server_label: SERVER_LABEL, name, arguments: args } as const
    this.#added({ ...call, status: 'in_progress', output: null, error: null, approval_request_id: null })
    return this.items.length - 1
  }

  /** It is over, with what it gave or why it failed. */
  toolDone(index: number, isOk: boolean, text: string): void {
    const item = this.items[index]
    if (item?.type !== 'mcp_call' || item.status !== 'in_progress') return
    const error: McpCallItem['error'] = isOk ? null : { type: 'mcp_tool_execution_error', content: text }
    this.#done(index, { ...item, status: isOk ? 'completed' : 'failed', output: isOk ? text : null, error })
  }

  #added(item: OutputItem): void {
    this.#writer.put('response.output_item.added', { output_index: this.items.length, item })
    this.items.push(item)
  }

  #done(index: number, item: OutputItem): void {
    this.items[index] = item
    this.#writer.put('response.output_item.done', { output_index: index, item })
  }

  #at(index: number): { item_id: string; output_index: number } {
    return { item_id: this.items[index]?.id ?? '', output_index: index }
  }

  /** The items as they stand, what is being written included. */
  get standing(): OutputItem[] {
    return this.items.map((item, index) => {
      const open = this.#open.find((one) => one.index === index)
      if (!open) return item
      if (item.type === 'message') return { ...item, content: [textPart(open.text)] }
      return item.type === 'reasoning' ? { ...item, summary: [{ type: 'summary_text', text: open.text }] } : item
    })
  }
}

function textPart(text: string): OutputText {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}
