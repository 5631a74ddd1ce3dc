import { type Client, type ClientOptions, createClient } from '../client/index.ts'

/** A client, or what makes one: the address of the server, a key, a language. */
export type ClientGiven = Client | Pick<ClientOptions, 'server' | 'key' | 'language'>

/** Clients that were made of options, by what they say; of more than so many the one that was used least lately is made anew. */
const made = new Map<string, Client>()
const CLIENTS_MAX = 16

/** The same client for the same options, in all components and at each render: they share connections by it. */
export function useClient(given: ClientGiven): Client {
  if ('sessions' in given) return given
  const { server, key, language } = given
  const name = JSON.stringify([server, key, language])
  const client = made.get(name) ?? createClient(given)
  made.delete(name)
  made.set(name, client)
  const [oldest] = made.keys()
  if (made.size > CLIENTS_MAX && oldest !== undefined) made.delete(oldest)
  return client
}
