import { Webhook } from 'standardwebhooks'

/** What a delivery is answered. */
export interface ReceiverAnswer {
  status?: number
  headers?: Record<string, string>
  body?: string
}

/** A delivery as it came. */
export interface RawReceived {
  headers: Record<string, string>
  text: string
}

interface ReceivedItem {
  id: string
  arguments_hash?: string
  decide_url?: string
  [more: string]: unknown
}

export interface ReceivedBody {
  type: string
  timestamp: string
  data: { session_id?: string; pending?: ReceivedItem[]; [more: string]: unknown }
}

/** A delivery that came. `verifies`: by the library of the Standard Webhooks. */
export interface ReceivedDelivery extends RawReceived {
  body: ReceivedBody
  verifies(secret: string): boolean
}

/** A receiver that nobody else sends to. */
export interface Receiver {
  url: string
  /** What the next deliveries are answered; 200 where nothing is said. */
  answer(answers: ReceiverAnswer[]): Promise<void>
  /** What came so far, once it is so much. */
  received(count: number): Promise<ReceivedDelivery[]>
  /** What it answered with 2xx, each id once, once it is so much. */
  taken(count: number): Promise<ReceivedDelivery[]>
}

/** A receiver of its own at the server of receivers. */
export function receiverFor({ receiversUrl }: { receiversUrl: string }): Receiver {
  const url = `${receiversUrl}/${crypto.randomUUID()}`
  const came = async (query: string) => {
    const all = await (await fetch(`${url}?${query}`)).json<RawReceived[]>()
    return all.map((one) => ({
      ...one,
      body: JSON.parse(one.text) as ReceivedBody,
      verifies: (secret: string) => verifies(secret, one),
    }))
  }
  return {
    url,
    answer: async (answers) => {
      await (await fetch(url, { method: 'PUT', body: JSON.stringify(answers) })).text()
    },
    received: (count) => came(`count=${count}`),
    taken: (count) => came(`taken=${count}`),
  }
}

function verifies(secret: string, { text, headers }: RawReceived): boolean {
  try {
    new Webhook(secret).verify(text, headers)
    return true
  } catch {
    return false
  }
}
