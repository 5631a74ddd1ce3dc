/** A piece of a reply for a person: what the model says or thinks. Calls are left out; the answer in them is told by itself. */
export interface ReplyPiece {
  kind: 'text' | 'thinking'
  text: string
}

/** What is said in these is not for people: a plan, or the name of a worker. */
const UNSEEN: readonly (string | undefined)[] = ['plan', 'repair', 'route']

/** Whether the replies of a model call, by its purpose, are for the run alone. */
export function isUnseen(purpose: string | undefined): boolean {
  return UNSEEN.includes(purpose)
}

type State =
  | { in: 'text' }
  | { in: 'code'; fence: string }
  | { in: 'thinking'; end: string }
  | { in: 'call'; end: string }
  | { in: 'doubt' }

const THINKING = ['思考', 'think', 'thinking']
const FINISH = ['完成会话', 'finish']
/** The end of a call or of thoughts that began elsewhere. */
const STRAY = /^<\/(?:完成会话|finish|理由|reason|思考|think|thinking)>/
/** The end of a call that nothing began. */
const STRAYS = /^(?:<\/(?:完成会话|finish|理由|reason)>\s*)+$/
/** A longer `<…` or run of backticks is text. */
const TAG_CHARS_MAX = 80

export interface ReplyFilter {
  push(text: string): ReplyPiece[]
  /** A piece of the answer that the reply gives to `finish`; gives what of it is to be shown. Models write the answer twice, as text
   *  and as an argument: nothing is shown as long as it is what the text began with. */
  answer(text: string): string
  /** What was told of an answer is none; another one begins. */
  nextAnswer(): void
  /** True while the answer is what the text began with. */
  readonly repeats: boolean
  /** What was held back at the end. `calls`: the reply calls something, so what looked like a call is left out. */
  flush(calls?: boolean): ReplyPiece[]
}

/** How a reply is read for whoever cannot take words back, as `callsInAnyForm` does. */
export interface CarefulReading {
  /** Looks at what comes next: from here on it may be a call in another form than the tags of the protocol (`doubt`), it is one unless more
   *  comes (`call`), not enough of it is there (`unclear`), it is text, or so many characters of it are, whatever they look like. `isHead`: it
   *  begins a line, and no tag. */
  look(held: string, at: { isHead: boolean; isFirst: boolean }): 'doubt' | 'call' | 'unclear' | 'text' | number
  /** The end of a reply without what chat templates write. */
  clean(held: string, before: string): string
}

/** Splits a reply that arrives in pieces of any length, as the text tool protocol writes it: thinking and calls
 *  of the tools named are told apart from text; inside code everything is text. `carefully`: from what may be a call in
 *  another form on, all is held back until the reply is whole, as it is from stray marks on. Linear in the length of the reply. */
export function createReplyFilter(
  toolNames: readonly string[],
  carefully?: (toolNames: readonly string[]) => CarefulReading,
): ReplyFilter {
  const tools = new Set([...FINISH, ...toolNames])
  let careful = carefully?.([...tools])
  let state: State = { in: 'text' }
  let held = ''
  let said = ''
  let answered = ''
  let repeats = true
  /** Whether nothing but white space stands on the line, and nobody looked at what follows. */
  let isHead = true
  /** No word was said. */
  let isFirst = true
  /** What is held is a call, if the reply ends here. */
  let isCall = false

  function push(text: string): ReplyPiece[] {
    held += text
    const pieces: ReplyPiece[] = []
    for (;;) {
      const before = held.length
      const was = state
      step(pieces)
      if (held === '' || (held.length === before && state === was)) return kept(joined(pieces))
    }
  }

  function step(pieces: ReplyPiece[]): void {
    switch (state.in) {
      case 'text':
        return stepText(pieces)
      case 'code':
        return stepUntil(codeEnd(held, state.fence), pieces, 'text', { in: 'text' }, true)
      case 'thinking':
        return stepUntil(state.end, pieces, 'thinking', { in: 'text' })
      case 'call':
        return stepCall(state.end)
      case 'doubt':
    }
  }

  /** Text up to the next line, `<` or backtick; what follows that is held until it is known for what it is. */
  function stepText(pieces: ReplyPiece[]): void {
    if (held === '') return
    if (STRAY.test(held)) {
      state = { in: 'doubt' }
      return
    }
    const tag = /^<([^\s<>/`]{1,60})>/.exec(held)
    const isKnown = tag?.[1] !== undefined && (THINKING.includes(tag[1]) || tools.has(tag[1]))
    if (careful) {
      const looked = careful.look(held, { isHead: isHead && !isKnown && !couldBeTag(held), isFirst })
      if (looked === 'doubt') state = { in: 'doubt' }
      isCall = looked === 'call'
      if (looked === 'doubt' || looked === 'call' || looked === 'unclear') return
      if (looked !== 'text') return emit(pieces, 'text', looked)
      isHead &&= isKnown || couldBeTag(held)
    }
    const at = held.search(/[<`\n]/)
    if (held[at] === '\n') {
      isHead = true
      return emit(pieces, 'text', at + 1)
    }
    if (at !== 0) return emit(pieces, 'text', at < 0 ? held.length : at)
    if (held[0] === '`') return stepTick(pieces)
    if (tag?.[1] === undefined) {
      if (!couldBeTag(held)) emit(pieces, 'text', 1)
      return
    }
    const [open, name] = tag
    const end = `</${name}>`
    if (THINKING.includes(name)) state = { in: 'thinking', end }
    else if (tools.has(name)) state = { in: 'call', end }
    else return emit(pieces, 'text', open.length)
    held = held.slice(open.length)
  }

  /** Code opens with a run of backticks and closes with the same run (CommonMark 6.1, 4.5). */
  function stepTick(pieces: ReplyPiece[]): void {
    const run = /^`+/.exec(held)?.[0] ?? '`'
    if (run.length === held.length && run.length < TAG_CHARS_MAX) return
    emit(pieces, 'text', run.length)
    state = { in: 'code', fence: run }
  }

  function stepCall(end: string): void {
    const at = held.indexOf(end)
    if (at >= 0) {
      held = held.slice(at + end.length)
      state = { in: 'text' }
    } else held = held.slice(-TAG_CHARS_MAX)
  }

  /** Everything until `end`; so much is held back as could be its beginning. */
  function stepUntil(end: string, pieces: ReplyPiece[], kind: ReplyPiece['kind'], next: State, keepEnd = false): void {
    const at = held.indexOf(end)
    if (at < 0) return emit(pieces, kind, held.length - overlap(held, end))
    emit(pieces, kind, at + (keepEnd ? end.length : 0))
    if (!keepEnd) held = held.slice(end.length)
    state = next
  }

  function emit(pieces: ReplyPiece[], kind: ReplyPiece['kind'], length: number): void {
    if (length > 0) pieces.push({ kind, text: held.slice(0, length) })
    isFirst &&= kind !== 'text' || held.slice(0, length).trim() === ''
    held = held.slice(length)
  }

  function kept(pieces: ReplyPiece[]): ReplyPiece[] {
    for (const { kind, text } of pieces) if (kind === 'text') said = said === '' ? text.trimStart() : said + text
    return pieces
  }

  function answer(text: string): string {
    const start = answered === '' ? text.trimStart() : text
    const isSame = repeats && start === written(answered.length, start.length)
    answered += start
    if (isSame) return ''
    const piece = repeats ? answered : text
    repeats = false
    return piece
  }

  /** Of the text so many characters, what is held back of it included. */
  function written(from: number, length: number): string {
    const told = said.slice(from, from + length)
    if (told.length === length || state.in === 'call' || state.in === 'thinking') return told
    const more = said === '' ? held.trimStart() : held
    const at = Math.max(0, from - said.length)
    return told + more.slice(at, at + length - told.length)
  }

  function nextAnswer(): void {
    answered = ''
    repeats = true
  }

  function flush(calls = false): ReplyPiece[] {
    const pieces: ReplyPiece[] = []
    if (state.in === 'doubt' || state.in === 'text')
      held = STRAYS.test(held) ? '' : (careful?.clean(held, said.slice(-1)) ?? held)
    const isLeftOut = (state.in === 'doubt' || isCall) && calls && !(repeats && answered !== '')
    if (state.in !== 'call' && !isLeftOut) emit(pieces, state.in === 'thinking' ? 'thinking' : 'text', held.length)
    held = ''
    careful = carefully?.([...tools])
    state = { in: 'text' }
    isHead = true
    isCall = false
    return kept(pieces)
  }

  return {
    push,
    answer,
    nextAnswer,
    flush,
    get repeats() {
      return repeats && answered !== ''
    },
  }
}

const couldBeTag = (held: string) => held.length < TAG_CHARS_MAX && /^<\/?[^\s<>/`]{0,60}$/.test(held)

/** Code in a line ends with that line at the latest: a stray backtick must not hide the call that follows. */
function codeEnd(held: string, fence: string): string {
  const line = fence.length < 3 ? held.indexOf('\n') : -1
  const at = held.indexOf(fence)
  return line >= 0 && (at < 0 || line < at) ? '\n' : fence
}

/** How many characters at the end of `text` are the beginning of `end`. */
function overlap(text: string, end: string): number {
  for (let length = Math.min(text.length, end.length - 1); length > 0; length--) {
    if (text.endsWith(end.slice(0, length))) return length
  }
  return 0
}

function joined(pieces: readonly ReplyPiece[]): ReplyPiece[] {
  const result: ReplyPiece[] = []
  for (const piece of pieces) {
    const last = result.at(-1)
    if (last?.kind === piece.kind) last.text += piece.text
    else result.push({ ...piece })
  }
  return result
}
