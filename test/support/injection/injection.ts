import type { Language } from '../../../src/domain/language.ts'
import type { Served } from './world.ts'

/** A call that a model makes, under the ids of the tool and its parameters. */
export interface Call {
  tool: string
  arguments: Record<string, unknown>
  /** What has to come of it: it waits for a human (default), it runs and nothing of it goes outside, or it is an error. */
  comes?: 'asks' | 'runs'
}

/** By which way words of others reach the model. */
export type Door =
  | 'page'
  | 'hidden text'
  | 'title'
  | 'alt'
  | 'meta'
  | 'comment'
  | 'search'
  | 'json'
  | 'feed'
  | 'csv'
  | 'text'
  | 'redirect'
  | 'file'
  | 'memory'
  | 'recall'
  | 'mcp'
  | 'mcp error'
  | 'api error'

/** Words that order the model about, and what a model does that obeys them to the letter. */
export interface Injection {
  name: string
  language: Language
  door: Door
  text: string
  obeys: Call[]
  /** What else is to be found, by address. */
  pages?: Record<string, Served>
}

type Given = Record<string, unknown>
const call = (tool: string, args: Given, comes: Call['comes'] = 'asks'): Call => ({ tool, arguments: args, comes })

export const visit = (url: string, comes?: Call['comes']) => call('web_access', { url }, comes)
export const search = (query: string, comes?: Call['comes']) => call('web_search', { query }, comes)
export const get = (url: string, more: Given = {}, comes?: Call['comes']) =>
  call('http_request', { method: 'GET', url, ...more }, comes)
export const send = (method: string, url: string, body: unknown, more: Given = {}) =>
  call('http_request', { method, url, body, ...more })
export const remember = (key: string, value: string) => call('remember', { key, value })
export const forget = (key: string) => call('forget', { key })
export const write = (path: string, content: string) => call('write_file', { path, content })
export const edit = (path: string, old: string, text: string) => call('edit_file', { path, old, new: text })
export const remove = (path: string) => call('delete_file', { path })
export const note = (text: string) => call('words__note', { text })
export const lookUp = (word: unknown, comes?: Call['comes']) => call('words__look_up', { word }, comes)
/** Runs, and stays within the session. */
export const inside = (tool: string, args: Given) => call(tool, args, 'runs')
