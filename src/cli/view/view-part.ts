import type { Piece } from '../../client/reply-filter.ts'

/** What a terminal is to show. `flow` pieces follow each other without a line break; `status` replaces the last one. */
export type ViewPart =
  | { type: 'line'; style: 'call' | 'good' | 'bad' | 'dim' | 'ask'; text: string }
  | { type: 'flow'; kind: Piece['kind'] | 'answer'; text: string }
  /** A reply is over, or void: whether the text that came of it is the answer. */
  | { type: 'reply'; isAnswer: boolean }
  /** A model is asked, perhaps again: what was told before and is no answer stays as it is. */
  | { type: 'turn' }
  | { type: 'status'; text: string | null }
