import { clientDefinition, type ClientTool } from '../../domain/client-tool.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Tool } from '../../domain/tool.ts'
import { addressesWithin } from '../../lib/addresses.ts'
import { calledBySchema } from '../by-schema.ts'
import { namesOf } from '../registry.ts'

/** A tool that the caller of a run runs. To have it called changes nothing here: the caller decides what it does. */
export function clientToolOf(id: string, given: ClientTool): Tool {
  const { name, description } = given
  const said = description.trim() || name
  const called = calledBySchema(given.parameters)
  return {
    id,
    client: name,
    names: { 'zh-CN': id, en: id },
    description: { 'zh-CN': said, en: said },
    get parameters() {
      return called.parameters
    },
    get definition() {
      return clientDefinition(given)
    },
    risk: 'read',
    riskOf: () => 'read',
    effects: (args) => ({ addresses: addressesWithin(args, LIMITS.http.jsonDepthMax), paths: [] }),
    alwaysAsks: false,
    server: null,
    idempotent: false,
    isIdempotent: () => false,
    sequential: false,
    synchronous: false,
    control: false,
    needs: null,
    timeoutMs: LIMITS.tool.timeoutMs,
    output: { charsMax: LIMITS.tool.outputCharsMax, linesMax: LIMITS.tool.outputLinesMax, strategy: 'head_tail' },
    units: null,
    paginates: false,
    provenance: 'source',
    guarded: false,
    inputSchema: called.inputSchema,
    parse: called.parse,
    run: () => {
      throw new Error(`${id} is run by its caller`)
    },
  }
}

/** The tools of a caller beside those of the server, which win where a name is the same. */
export function clientToolsBeside(own: readonly Tool[], given: readonly ClientTool[]): Tool[] {
  const taken = new Set(own.flatMap(namesOf))
  const wanted = new Set(given.map(({ name }) => name))
  return given.map((one) => {
    const id = freeId(
      one.name,
      (candidate) => taken.has(candidate) || (candidate !== one.name && wanted.has(candidate)),
    )
    taken.add(id)
    return clientToolOf(id, one)
  })
}

/** `NAME`, else `NAME_2`, `NAME_3` and so on. */
function freeId(name: string, isTaken: (id: string) => boolean): string {
  let id = name
  for (let number = 2; isTaken(id); number++) {
    const end = `_${number}`
    id = name.slice(0, LIMITS.clientTool.idCharsMax - end.length) + end
  }
  return id
}
