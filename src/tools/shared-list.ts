import type { Tool } from '../domain/tool.ts'

/** Lists that are remembered. */
const LISTS_MAX = 64

const lists: (readonly Tool[])[] = []

/** A list of the same tools that was given before, if there is one: what is made of a list is then made once. */
export function sharedList(tools: readonly Tool[]): readonly Tool[] {
  const known = lists.find((list) => list.length === tools.length && list.every((tool, index) => tool === tools[index]))
  if (known) return known
  if (lists.length >= LISTS_MAX) lists.shift()
  lists.push(tools)
  return tools
}
