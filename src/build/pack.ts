import { init, parse } from 'es-module-lexer'
import type { TransformFailure } from 'esbuild'

/** One of the ES modules that a Worker is made of. */
export interface WorkerModule {
  /** File name, which the others import it by. */
  name: string
  bytes: Uint8Array
  /** Whether it is loaded when an isolate starts: the main module, and what that imports statically. */
  first: boolean
}

/** The module that has all others which are not loaded at a start. Its own names begin with `__`, as none of theirs does. */
const LATER = 'later.part.js'

/** A part of a text, and what stands there instead. */
interface Edit {
  from: number
  to: number
  text: string
}

/** workerd compiles every module when an isolate starts, imported or not; of a function that is not called it only looks for the end. So the
 *  modules that are loaded later become functions of one module: each runs when it is first imported, by `import()` or by another of them.
 *  They are methods: arrow functions at the top of a module are parsed in full.
 *
 *  What a module exports is as it is when the module has run: none of ours assigns to it later. What cannot be packed is
 *  refused: other lists of exports and imports than esbuild writes, circles of imports, `await` at the top of a module. */
export async function packLater(modules: readonly WorkerModule[]): Promise<WorkerModule[]> {
  await init
  const later = modules.filter(({ first }) => !first)
  if (later.length === 0) return [...modules]
  refuseCircles(later)
  const places = new Map(later.map(({ name }, place) => [name, place]))
  const outside = new Map<string, string>()
  const makers = later.map((module) => `${places.get(module.name)}(){${asFunction(module, places, outside)}}`)
  const imports = [...outside].map(([specifier, name]) => `import*as ${name} from"${specifier}";`)
  const pack = `${imports.join('')}const __made=[];export const __load=at=>__made[at]??=__make[at]();const __make={${makers.join(',')}};`
  const first = modules.filter((module) => module.first)
  const packed = [
    ...first.map((module) => ({ ...module, bytes: Buffer.from(edited(textOf(module), lateImports(module, places))) })),
    { name: LATER, bytes: Buffer.from(ascii(pack)), first: false },
  ]
  await Promise.all(packed.map(refuseBroken))
  return packed
}

const textOf = ({ bytes }: WorkerModule) => Buffer.from(bytes).toString()

/** Where each packed module stands in the pack, by its name. */
type Places = ReadonlyMap<string, number>

/** The body of a function that runs a module and gives its exports. `outside`: names of the modules that stay modules. */
function asFunction(module: WorkerModule, places: Places, outside: Map<string, string>): string {
  const code = textOf(module)
  const [imports] = parse(code)
  const { from: exported, list } = exportsOf(module)
  const edits = lateImports(module, places)
  const heads: string[] = []
  for (const { ss: from, se: end, d: kind, n: specifier = '' } of imports) {
    if (kind !== -1) continue
    const bound = bindings(code.slice(from, end), sourceOf(specifier, places, outside))
    if (bound === null) throw new Error(`${module.name} has an import that cannot be packed: ${code.slice(from, end)}`)
    heads.push(bound)
    edits.push({ from, to: code[end] === ';' ? end + 1 : end, text: '' })
  }
  edits.push({ from: exported, to: code.length, text: `\nreturn{${renamed(list, '$2:$1')}}` })
  return heads.join('') + edited(code, edits)
}

/** The one list that a module ends with, as it is written by esbuild, and where it stands. */
function exportsOf(module: WorkerModule): { from: number; list: string } {
  const code = textOf(module)
  const [, exports] = parse(code)
  const from = exports[0]?.ss ?? code.length
  const list = exports.map(({ n: name, ln: own }) => (name === own ? name : `${own} as ${name}`)).join(',')
  const written = code.slice(from).trim().replace(/;$/, '')
  if (exports.length > 0 && written !== `export{${list}}`)
    throw new Error(`${module.name} has exports that cannot be packed: ${written.slice(0, 200)}`)
  return { from, list }
}

/** Modules of a circle would each run the other first. */
function refuseCircles(modules: readonly WorkerModule[]): void {
  const left = new Map(
    modules.map((module) => {
      const imports = parse(textOf(module))[0].filter(({ d: kind }) => kind === -1)
      return [module.name, imports.map(({ n: specifier = '' }) => specifier.replace('./', ''))]
    }),
  )
  for (let before = -1; before !== left.size;) {
    before = left.size
    for (const [name, imports] of left) if (!imports.some((one) => left.has(one))) left.delete(name)
  }
  if (left.size > 0) throw new Error(`modules that import each other in a circle: ${[...left.keys()].join(', ')}`)
}

/** Of what is packed: `await` stands in no function that is not async, and no name is declared twice. */
async function refuseBroken(module: WorkerModule): Promise<void> {
  const { transform } = await import('esbuild')
  const { errors } = await transform(textOf(module), { format: 'esm', target: 'esnext', logLevel: 'silent' }).then(
    () => ({ errors: [] }),
    (error: TransformFailure) => error,
  )
  const [error] = errors
  if (!error) return
  const { lineText = '', column = 0 } = error.location ?? {}
  const place = lineText.slice(Math.max(0, column - 80), column + 80)
  throw new Error(`${module.name} is no JavaScript: ${error.text}: ${place}`)
}

function sourceOf(specifier: string, places: Places, outside: Map<string, string>): string {
  const place = places.get(specifier.replace('./', ''))
  if (place !== undefined) return `__load(${place})`
  const known = outside.get(specifier) ?? `__outside${outside.size}`
  outside.set(specifier, known)
  return known
}

/** An import as declarations; null: it is not as esbuild writes one. */
function bindings(statement: string, source: string): string | null {
  const [, names, whole, one] =
    /^import(?:(\{[^}]*\})from|\*as ([\w$]+) from|\s([\w$]+) from)?"[^"]*"$/.exec(statement) ?? []
  if (names !== undefined) return `const${renamed(names, '$1:$2')}=${source};`
  if (whole !== undefined) return `const ${whole}=${source};`
  if (one !== undefined) return `const{default:${one}}=${source};`
  if (statement.startsWith('import"')) return `${source};`
  return null
}

const renamed = (list: string, as: string) => list.replaceAll(/([\w$]+) as ([\w$]+)/g, as)

/** Each `import()` of what is packed asks the pack. */
function lateImports(module: WorkerModule, places: Places): Edit[] {
  const [imports] = parse(textOf(module))
  return imports.flatMap(({ ss: from, se: to, d: kind, n: specifier = '' }) => {
    if (kind === -2) throw new Error(`${module.name} asks where it is, which a packed module cannot know`)
    const place = places.get(specifier.replace('./', ''))
    if (kind === -1 || place === undefined) return []
    return [{ from, to, text: `import("./${LATER}").then(({__load})=>__load(${place}))` }]
  })
}

function edited(code: string, edits: readonly Edit[]): string {
  let done = ''
  let at = 0
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from)) {
    done += code.slice(at, from) + text
    at = to
  }
  return done + code.slice(at)
}

/** V8 keeps a text of ASCII in half the memory, and reads it faster. esbuild leaves other characters in regular expressions alone, which an
 *  escape does not change, and in raw templates, which it would. */
function ascii(code: string): string {
  const [raw] = /String\.raw`[^`]*[^\0-\x7f][^`]*`/.exec(code) ?? []
  if (raw !== undefined) throw new Error(`a raw template that is not of ASCII, as it should be: ${raw}`)
  return code.replaceAll(/\\?[^\0-\x7f]|\\[^]/g, (part) =>
    /[^\0-\x7f]/.test(part) ? escaped(part.at(-1) ?? '') : part,
  )
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
