import type { ScriptInput } from '../../src/cli/mock-model/script.ts'

/** Where the scripted model and the pages of a test run are; see peers-server.ts. */
export interface PeerAddresses {
  /** The base for `api_url`. */
  modelUrl: string
  pagesUrl: string
  pagesHost: string
  controlUrl: string
  /** Of receivers of callbacks; see receivers-server.ts. */
  receiversUrl: string
  /** Of key lists of issuers of tokens; see issuers-server.ts. */
  issuersUrl: string
}

/** What a model was asked. */
export interface Asked {
  headers: Record<string, string>
  body: {
    messages: WireMessage[]
    tools?: { function: { name: string; description?: string; parameters?: Record<string, unknown> } }[]
    stream?: boolean
    [field: string]: unknown
  }
}

export interface WireMessage {
  role: string
  content: string | null
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** A model of the scripted server that plays a script of its own. */
export interface ScriptedModel {
  /** What `llm.extra_body.script`, or `llm.model`, chooses it by. The other model that the latter names has no price. */
  name: string
  readonly script: (script: ScriptInput) => Promise<void>
  /** What it was asked so far, once that is `count` or more. */
  readonly asked: (count?: number) => Promise<Asked[]>
  /** Let go of its answers that `hold_after` holds back; throws where there is none. */
  readonly release: () => Promise<void>
}

/** Pages that nobody else visits. */
export interface Site {
  readonly url: (page: string) => string
  /** The pages that were visited so far, once these are `count` or more. */
  readonly visits: (count?: number) => Promise<string[]>
}

let made = 0

/** A model and a site of their own for one test. */
export function peersFor({ controlUrl, modelUrl, pagesUrl }: PeerAddresses): { model: ScriptedModel; site: Site } {
  const name = `t${(++made).toString(36)}-${crypto.randomUUID().slice(0, 8)}`
  const json = async <T>(url: string, init?: RequestInit): Promise<T> => (await fetch(url, init)).json<T>()
  return {
    model: {
      name,
      script: async (script) => {
        await json(`${controlUrl}/${name}`, { method: 'PUT', body: JSON.stringify(script) })
      },
      asked: (count = 0) => json(`${controlUrl}/${name}?count=${count}`),
      release: async () => {
        const url = new URL(`/release?model=${name}`, modelUrl)
        const { count } = await json<{ count: number }>(url.href, { method: 'POST' })
        if (count === 0) throw new Error('the model holds no answer back')
      },
    },
    site: {
      url: (page) => `${pagesUrl}/${name}/${page}`,
      visits: (count = 0) => json(`${pagesUrl}/hits?of=${name}&count=${count}`),
    },
  }
}
