import {
  type Checker,
  type Project,
  SignatureKind,
  type Symbol,
  SymbolFlags,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync'
import { ROOT } from '../bundle.ts'
import { docs, MemberTexts, typeOf } from './members.ts'
import { type Named, type TypeNames, resolved } from './names.ts'
import { TypeTexts } from './types.ts'

/** The declarations of one entry. */
export class Declarations {
  /** TypeNames that it exports. */
  readonly told = new Set<string>()
  readonly #checker: Checker
  readonly #names: TypeNames
  readonly #others: { from: string; names: ReadonlySet<string> } | undefined
  readonly #imported = new Set<string>()
  readonly #parts: string[] = []
  readonly #waiting: (() => string)[] = []
  readonly #types: TypeTexts
  readonly #members: MemberTexts

  constructor(
    project: Project,
    names: TypeNames,
    module: string,
    others: { from: string; names: ReadonlySet<string> } | undefined,
  ) {
    this.#checker = project.checker
    this.#names = names
    this.#others = others
    this.#types = new TypeTexts(project, names, (named) => this.#reference(named))
    this.#members = new MemberTexts(project, (type) => this.#types.text(type))
    const source = project.program.getSourceFile(ROOT + module)
    const symbol = source && this.#checker.getSymbolAtLocation(source)
    if (!symbol) throw new Error(`${module} exports nothing`)
    for (const exported of this.#checker.getExportsOfModule(symbol)) this.#export(exported)
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#parts.push(next())
  }

  text(): string {
    const imports = [...this.#imported].toSorted().join(', ')
    const head = imports === '' ? [] : [`import type { ${imports} } from '${this.#others?.from}'\n`]
    const schemas = this.#types.hasSchemas ? ["import type * as z from 'zod'\n"] : []
    return [...schemas, ...head, ...this.#parts].join('\n')
  }

  #export(exported: Symbol): void {
    const symbol = resolved(exported, this.#checker)
    const { name } = exported
    if (this.told.has(name) || this.#others?.names.has(name)) return
    if ((symbol.flags & SymbolFlags.Class) !== 0) this.#parts.push(this.#classText(name, symbol))
    else if ((symbol.flags & SymbolFlags.Function) !== 0) this.#parts.push(this.#functionText(name, symbol))
    else if ((symbol.flags & SymbolFlags.Variable) !== 0) {
      const type = this.#types.text(typeOf(symbol, this.#checker))
      this.#parts.push(`${docs(symbol, this.#checker)}export declare const ${name}: ${type}\n`)
    } else this.#parts.push(this.#typeText(name, symbol, this.#checker.getDeclaredTypeOfSymbol(symbol)))
    this.told.add(name)
  }

  /** A named type as it is declared. */
  #typeText(name: string, symbol: Symbol, type: Type): string {
    this.told.add(name)
    const known = this.#names.of(type)
    const head = docs(symbol, this.#checker)
    if (known && known.name !== name) return `${head}export type ${name} = ${this.#types.text(type)}\n`
    const parameters = type.isClassOrInterface() ? this.#members.parameterNames(type.getLocalTypeParameters()) : ''
    const isObject = (type.flags & TypeFlags.Object) !== 0 && !this.#types.isFunction(type)
    const body = this.#types.structure(type)
    return isObject && body.startsWith('{')
      ? `${head}export interface ${name}${parameters} ${body}\n`
      : `${head}export type ${name}${parameters} = ${body}\n`
  }

  #classText(name: string, symbol: Symbol): string {
    this.told.add(name)
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol)
    const [base] = type.getBaseTypes() ?? []
    const own = [...symbol.getMembers().values()].filter(
      (member) => (member.flags & (SymbolFlags.Property | SymbolFlags.Method)) !== 0 && !member.name.startsWith('#'),
    )
    const made = this.#checker.getSignaturesOfType(typeOf(symbol, this.#checker), SignatureKind.Construct)
    const makers = made.map((signature) => `  constructor${this.#members.signature(signature, null)}\n`)
    const body = own.map((member) => this.#members.member(member)).join('')
    const parent = base ? ` extends ${this.#types.text(base)}` : ''
    return `${docs(symbol, this.#checker)}export declare class ${name}${parent} {\n${makers.join('')}${body}}\n`
  }

  #functionText(name: string, symbol: Symbol): string {
    const signatures = this.#checker.getSignaturesOfType(typeOf(symbol, this.#checker), SignatureKind.Call)
    const lines = signatures.map(
      (signature) => `export declare function ${name}${this.#members.signature(signature, ': ')}\n`,
    )
    return docs(symbol, this.#checker) + lines.join('')
  }

  #reference({ name, symbol, type }: Named): string {
    if (this.#others?.names.has(name)) this.#imported.add(name)
    else if (!this.told.has(name)) {
      this.told.add(name)
      const isClass = (symbol.flags & SymbolFlags.Class) !== 0
      this.#waiting.push(() => (isClass ? this.#classText(name, symbol) : this.#typeText(name, symbol, type)))
    }
    return name
  }
}
