import type { ClientTool } from '../../domain/client-tool.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { Log } from '../../domain/ports.ts'
import type { SessionState } from '../../domain/state.ts'
import type { Tool } from '../../domain/tool.ts'
import type { clientToolsBeside } from '../../tools/client/tool.ts'
import { sharedList } from '../../tools/registry.ts'

type Made = typeof clientToolsBeside

/** What makes the tools of callers, loaded by the first run that has some. */
let made: Made | null = null

/** Have at hand what makes the tools of callers; null: it is. */
export function loadClientTools(): Promise<void> | null {
  if (made) return null
  return import('../../tools/client/tool.ts').then(({ clientToolsBeside: make }) => {
    made = make
  })
}

/** Where the newest run stands, and the events that are read for it. */
interface LogAtHand {
  state: Pick<SessionState, 'run'>
  log: Pick<Log, 'events'>
}

/** The tools that the caller of a session's newest run has beside those of the server. */
export class ClientTools {
  readonly #journal: () => LogAtHand | null
  readonly #made: () => Made | null
  #known: { seq: number; given: readonly ClientTool[] } | null = null
  #listed: { own: readonly Tool[]; given: readonly ClientTool[]; all: readonly Tool[] } | null = null

  /** `journal`: null while there is none yet. `makes`: what makes tools, where it is at hand already. */
  constructor(journal: () => LogAtHand | null, makes?: Made) {
    this.#journal = journal
    this.#made = () => makes ?? made
  }

  /** Have at hand what the newest run needs; null: it is. */
  load(): Promise<void> | null {
    return this.#given().length === 0 ? null : loadClientTools()
  }

  /** These tools of the server with those of the caller: the same list as long as nothing changes. */
  beside(own: readonly Tool[]): readonly Tool[] {
    const given = this.#given()
    const make = given.length === 0 ? null : this.#made()
    if (!make) return own
    const known = this.#listed
    if (known?.own === own && known.given === given) return known.all
    const all = sharedList([...own, ...make(own, given)])
    this.#listed = { own, given, all }
    return all
  }

  #given(): readonly ClientTool[] {
    const journal = this.#journal()
    const seq = journal?.state.run?.clientToolsSeq
    if (!journal || seq === undefined) return NONE
    if (this.#known?.seq !== seq) this.#known = { seq, given: givenBy(journal.log.events(seq - 1, 1)[0]) }
    return this.#known.given
  }
}

const NONE: readonly ClientTool[] = []

/** The tools that an event brings along. */
function givenBy(event: SessionEvent | undefined): readonly ClientTool[] {
  return event?.type === 'client-tools' ? event.tools : NONE
}
