import {
  isParameterDeclaration,
  isPropertyDeclaration,
  isPropertySignatureDeclaration,
  SyntaxKind,
} from 'typescript/unstable/ast'
import {
  API,
  ObjectFlags,
  type Checker,
  type Project,
  type Signature,
  SignatureKind,
  type Symbol,
  SymbolFlags,
  type Type,
  TypeFlags,
  type TypeParameter,
} from 'typescript/unstable/sync'
import { ROOT } from './bundle.ts'

/** An entry of the package whose declarations are one file. */
interface Entry {
  /** Path of its module below the project. */
  module: string
  /** What its declarations take from another file: how that is imported. Its entry stands before this one. */
  imports?: { from: string; module: string }
}

/** The declarations of entries, by their modules: each a file of its own that says all types by their structure, so that who uses them
 *  needs neither our sources nor the libraries that we make types with. Throws where a type cannot be told so. */
export function bundleDeclarations(config: string, entries: readonly Entry[]): Map<string, string> {
  const api = new API({ cwd: ROOT })
  try {
    const snapshot = api.updateSnapshot({ openProjects: [config] })
    const project = snapshot.getProject(config)
    if (!project) throw new Error(`${config} is no project`)
    const names = new Names(project)
    const made = new Map<string, Declarations>()
    for (const { module, imports } of entries) {
      const others = imports && { ...imports, names: made.get(imports.module)?.told ?? new Set<string>() }
      made.set(module, new Declarations(project, names, module, others))
    }
    return new Map([...made].map(([module, declarations]) => [module, declarations.text()]))
  } finally {
    api.close()
  }
}

/** Files whose types have names of their own in declarations. */
const NAMED = /\/src\/.*\.ts$/

/** What of the platform is told without its arguments, which not all typings of it have. */
const BARE = new Set(['Uint8Array', 'Request', 'RequestInit', 'Response'])

interface Named {
  name: string
  symbol: Symbol
  type: Type
}

/** The names of types, by the types' ids. */
class Names {
  readonly #byId = new Map<number, Named>()
  /** Unions of objects, those with most members first. */
  readonly #unions: { named: Named; ids: ReadonlySet<number> }[] = []

  constructor({ program, checker }: Project) {
    for (const file of program.getSourceFileNames().filter((path) => NAMED.test(path))) {
      const source = program.getSourceFile(file)
      const module = source && checker.getSymbolAtLocation(source)
      for (const symbol of module ? checker.getExportsOfModule(module) : []) this.#add(symbol, checker)
    }
    this.#unions.sort((a, b) => b.ids.size - a.ids.size)
  }

  #add(exported: Symbol, checker: Checker): void {
    const symbol = resolved(exported, checker)
    if ((symbol.flags & (SymbolFlags.TypeAlias | SymbolFlags.Interface | SymbolFlags.Class)) === 0) return
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const isNamed = (type.flags & (TypeFlags.Object | TypeFlags.Union | TypeFlags.Intersection)) !== 0
    if (!isNamed || this.#byId.has(type.id)) return
    const named = { name: exported.name, symbol, type }
    this.#byId.set(type.id, named)
    const isUnion = type.isUnionType() && type.getTypes().every((one) => (one.flags & TypeFlags.Object) !== 0)
    if (isUnion) this.#unions.push({ named, ids: new Set(type.getTypes().map(({ id }) => id)) })
  }

  called(name: string): Named | undefined {
    return this.#byId.values().find((named) => named.name === name)
  }

  /** The largest union with a name that is a part of these types, and the types beside it. */
  within(types: readonly Type[]): { named: Named; rest: Type[] } | null {
    const given = new Set(types.map(({ id }) => id))
    const found = this.#unions.find(({ ids }) => ids.size < given.size && ids.isSubsetOf(given))
    return found ? { named: found.named, rest: types.filter(({ id }) => !found.ids.has(id)) } : null
  }

  of(type: Type): Named | undefined {
    return this.#byId.get(type.id)
  }
}

const resolved = (symbol: Symbol, checker: Checker) =>
  (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)

const INTRINSIC =
  TypeFlags.Any |
  TypeFlags.Unknown |
  TypeFlags.Undefined |
  TypeFlags.Null |
  TypeFlags.Void |
  TypeFlags.String |
  TypeFlags.Number |
  TypeFlags.BigInt |
  TypeFlags.Boolean |
  TypeFlags.ESSymbol |
  TypeFlags.NonPrimitive |
  TypeFlags.Never

/** The declarations of one entry. */
class Declarations {
  /** Names that it exports. */
  readonly told = new Set<string>()
  readonly #checker: Checker
  readonly #project: Project
  readonly #names: Names
  readonly #others: { from: string; names: ReadonlySet<string> } | undefined
  readonly #imported = new Set<string>()
  readonly #parts: string[] = []
  readonly #waiting: (() => string)[] = []
  readonly #within: number[] = []
  #hasSchemas = false

  constructor(
    project: Project,
    names: Names,
    module: string,
    others: { from: string; names: ReadonlySet<string> } | undefined,
  ) {
    this.#project = project
    this.#checker = project.checker
    this.#names = names
    this.#others = others
    const source = project.program.getSourceFile(ROOT + module)
    const symbol = source && this.#checker.getSymbolAtLocation(source)
    if (!symbol) throw new Error(`${module} exports nothing`)
    for (const exported of this.#checker.getExportsOfModule(symbol)) this.#export(exported)
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#parts.push(next())
  }

  text(): string {
    const imports = [...this.#imported].toSorted().join(', ')
    const head = imports === '' ? [] : [`import type { ${imports} } from '${this.#others?.from}'\n`]
    const schemas = this.#hasSchemas ? ["import type * as z from 'zod'\n"] : []
    return [...schemas, ...head, ...this.#parts].join('\n')
  }

  #export(exported: Symbol): void {
    const symbol = resolved(exported, this.#checker)
    const { name } = exported
    if (this.told.has(name) || this.#others?.names.has(name)) return
    if ((symbol.flags & SymbolFlags.Class) !== 0) this.#parts.push(this.#classText(name, symbol))
    else if ((symbol.flags & SymbolFlags.Function) !== 0) this.#parts.push(this.#functionText(name, symbol))
    else if ((symbol.flags & SymbolFlags.Variable) !== 0) {
      const type = this.#text(this.#typeOf(symbol))
      this.#parts.push(`${docs(symbol, this.#checker)}export declare const ${name}: ${type}\n`)
    } else this.#parts.push(this.#typeText(name, symbol, this.#checker.getDeclaredTypeOfSymbol(symbol)))
    this.told.add(name)
  }

  /** A named type as it is declared. */
  #typeText(name: string, symbol: Symbol, type: Type): string {
    this.told.add(name)
    const known = this.#names.of(type)
    const head = docs(symbol, this.#checker)
    if (known && known.name !== name) return `${head}export type ${name} = ${this.#text(type)}\n`
    const parameters = type.isClassOrInterface() ? this.#parameterNames(type.getLocalTypeParameters()) : ''
    const isObject = (type.flags & TypeFlags.Object) !== 0 && !this.#isFunction(type)
    const body = this.#structure(type)
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
    const made = this.#checker.getSignaturesOfType(this.#typeOf(symbol), SignatureKind.Construct)
    const makers = made.map((signature) => `  constructor${this.#signature(signature, null)}\n`)
    const body = own.map((member) => this.#member(member)).join('')
    const parent = base ? ` extends ${this.#text(base)}` : ''
    return `${docs(symbol, this.#checker)}export declare class ${name}${parent} {\n${makers.join('')}${body}}\n`
  }

  #functionText(name: string, symbol: Symbol): string {
    const signatures = this.#checker.getSignaturesOfType(this.#typeOf(symbol), SignatureKind.Call)
    const lines = signatures.map((signature) => `export declare function ${name}${this.#signature(signature, ': ')}\n`)
    return docs(symbol, this.#checker) + lines.join('')
  }

  #typeOf(symbol: Symbol): Type {
    const type = this.#checker.getTypeOfSymbol(symbol)
    if (!type) throw new Error(`${symbol.name} has no type`)
    return type
  }

  /** A type where it is used: by its name if it has one. */
  #text(type: Type): string {
    const known = this.#names.of(type)
    return known ? this.#reference(known) : this.#structure(type)
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

  #structure(type: Type): string {
    if ((type.flags & INTRINSIC) !== 0 && type.isIntrinsicType()) return type.intrinsicName
    if ((type.flags & TypeFlags.Boolean) !== 0) return 'boolean'
    if (type.isLiteralType()) return JSON.stringify(type.value)
    if (type.isUnionType()) return this.#union(type, type.getTypes())
    if (type.isIntersectionType())
      return type
        .getTypes()
        .map((one) => this.#wrapped(one))
        .join(' & ')
    if (type.isTypeParameter()) return type.getSymbol()?.name ?? 'unknown'
    if (type.isIndexedAccessType()) return `${this.#wrapped(type.getObjectType())}[${this.#text(type.getIndexType())}]`
    if ((type.flags & TypeFlags.Object) === 0 || this.#isOpenMapping(type)) return this.#written(type)
    if (this.#within.includes(type.id))
      throw new Error(`a type without a name holds itself: ${this.#checker.typeToString(type)}`)
    this.#within.push(type.id)
    try {
      return this.#object(type)
    } finally {
      this.#within.pop()
    }
  }

  /** Whether it maps the members of a parameter. */
  #isOpenMapping(type: Type): boolean {
    const isMapping = type.isObjectType() && (type.objectFlags & ObjectFlags.Mapped) !== 0
    return isMapping && / in keyof /.test(this.#checker.typeToString(type))
  }

  /** A type that depends on a parameter, as the compiler writes it. */
  #written(type: Type): string {
    const told = this.#checker.typeToString(type, undefined, NO_TRUNCATION)
    const text = told.replaceAll(/(?<![.\w])(?=(?:output|input)<)/g, 'z.')
    if (/import\(|\.\.\./.test(text)) throw new Error(`a type cannot be told by its structure: ${text}`)
    for (const [name] of text.matchAll(/(?<![.\w])[A-Z]\w+/g)) {
      const known = this.#names.called(name)
      if (known) this.#reference(known)
    }
    if (/(?<![.\w])z\./.test(text)) this.#hasSchemas = true
    return text
  }

  #union(type: Type, types: readonly Type[]): string {
    const rest = this.#checker.getNonNullableType(type)
    const isNullable = (one: Type) => (one.flags & (TypeFlags.Null | TypeFlags.Undefined)) !== 0
    const known = rest && rest.id !== type.id ? this.#names.of(rest) : undefined
    if (known)
      return [this.#reference(known), ...types.filter(isNullable).map((one) => this.#structure(one))].join(' | ')
    const part = this.#names.within(types)
    if (part) return [this.#reference(part.named), this.#union(type, part.rest)].join(' | ')
    const isBoolean = (one: Type) => (one.flags & TypeFlags.BooleanLiteral) !== 0
    const both = types.filter(isBoolean).length === 2
    const told = types.filter((one) => !(both && isBoolean(one)))
    const sorted = [...told.filter((one) => !isNullable(one)), ...told.filter(isNullable)]
    return [...(both ? ['boolean'] : []), ...sorted.map((one) => this.#wrapped(one))].join(' | ')
  }

  /** Where it is a part of an intersection or a union, or the entry of an array. */
  #wrapped(type: Type): string {
    const text = this.#text(type)
    const isWhole = this.#names.of(type) !== undefined || (type.flags & TypeFlags.Boolean) !== 0
    const isLoose = type.isUnionType() || type.isIntersectionType() || this.#isFunction(type)
    return isLoose && !isWhole ? `(${text})` : text
  }

  #isFunction(type: Type): boolean {
    return (
      (type.flags & TypeFlags.Object) !== 0 &&
      this.#checker.getSignaturesOfType(type, SignatureKind.Call).length > 0 &&
      this.#checker.getPropertiesOfType(type).length === 0
    )
  }

  #object(type: Type): string {
    if (type.isTupleType() || (type.isTypeReference() && type.getTarget().isTupleType())) return this.#tuple(type)
    if (this.#checker.isArrayType(type)) return this.#array(type)
    const symbol = type.getSymbol()
    if (symbol && isZods(symbol)) return this.#schema(type)
    if (symbol && (symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class)) !== 0) {
      const own = this.#generic(type)
      if (own !== null) return own
      if (!this.#isOurs(symbol)) return this.#global(type, symbol)
    }
    const [first, ...others] = this.#checker.getSignaturesOfType(type, SignatureKind.Call)
    if (first && others.length === 0 && this.#isFunction(type)) return this.#signature(first, ' => ')
    return this.#literal(type)
  }

  #tuple(type: Type): string {
    const entries = type.isTypeReference() ? this.#checker.getTypeArguments(type) : []
    const target = type.isTypeReference() ? type.getTarget() : type
    const isReadonly = target.isTupleType() && target.readonly
    return `${isReadonly ? 'readonly ' : ''}[${entries.map((one) => this.#text(one)).join(', ')}]`
  }

  #array(type: Type): string {
    const [entry] = type.isTypeReference() ? this.#checker.getTypeArguments(type) : []
    const isReadonly = type.getSymbol()?.name === 'ReadonlyArray'
    return `${isReadonly ? 'readonly ' : ''}${entry ? this.#wrapped(entry) : 'unknown'}[]`
  }

  /** An interface of ours with arguments; null: it is none. */
  #generic(type: Type): string | null {
    if (!type.isTypeReference()) return null
    const target = type.getTarget()
    const known = target.id === type.id ? undefined : this.#names.of(target)
    if (!known) return null
    const given = this.#checker.getTypeArguments(type).map((one) => this.#text(one))
    return `${this.#reference(known)}<${given.join(', ')}>`
  }

  /** A schema of zod, by what it gives and what it takes. */
  #schema(type: Type): string {
    this.#hasSchemas = true
    if (this.#checker.typeToString(type).startsWith('ZodObject<$ZodLooseShape')) return 'z.ZodObject'
    const inside = this.#checker.getPropertyOfType(type, '_zod')
    const sides = ['output', 'input'].map((name) => {
      const side = inside && this.#checker.getPropertyOfType(this.#typeOf(inside), name)
      return side ? this.#text(this.#typeOf(side)) : 'unknown'
    })
    return `z.ZodType<${sides.join(', ')}>`
  }

  #isOurs(symbol: Symbol): boolean {
    return symbol.declarations.every(({ path }) => path.includes('/src/'))
  }

  /** What the platform has: any of its typings declares it under this name. */
  #global(type: Type, symbol: Symbol): string {
    const places = symbol.declarations.map(({ path }) => path)
    const isPlatform = (path: string) =>
      /lib\.[\w.]*d\.ts$|\/@types\/node\/|\/workers-types\/|\/@types\/react\//.test(path)
    if (!places.some(isPlatform) && !places.every((path) => path.includes('bundled:')))
      throw new Error(`${symbol.name} of ${places.join()} would have to be imported`)
    const given = type.isTypeReference() && !BARE.has(symbol.name) ? this.#checker.getTypeArguments(type) : []
    const told = given
      .filter((one) => !(one.isTypeParameter() && one.isThisType === true))
      .map((one) => this.#text(one))
    return told.length === 0 ? symbol.name : `${symbol.name}<${told.join(', ')}>`
  }

  #literal(type: Type): string {
    const properties = this.#checker.getPropertiesOfType(type)
    const indexes = this.#checker.getIndexInfosOfType(type)
    const [index] = indexes
    if (properties.length === 0 && index) return `Record<${this.#text(index.keyType)}, ${this.#text(index.valueType)}>`
    const rows = indexes.map(({ keyType, valueType }) => `  [key: ${this.#text(keyType)}]: ${this.#text(valueType)}\n`)
    const members = [...rows, ...properties.map((property) => this.#member(property))]
    return members.length === 0 ? '{}' : `{\n${members.join('')}}`
  }

  #member(property: Symbol): string {
    const [, known] = /@(\w+)@/.exec(property.name) ?? []
    const plain = /^[\w$]+$/.test(property.name) ? property.name : JSON.stringify(property.name)
    const key = known === undefined ? plain : `[Symbol.${known}]`
    const mark = (property.flags & SymbolFlags.Optional) === 0 ? '' : '?'
    const type = this.#typeOf(property)
    const [signature, ...others] = this.#checker.getSignaturesOfType(type, SignatureKind.Call)
    const isMethod = (property.flags & SymbolFlags.Method) !== 0 && signature && others.length === 0
    const isFixed = (property.flags & SymbolFlags.Accessor) !== 0 || this.#isReadonly(property)
    const text = isMethod ? `${key}${mark}${this.#signature(signature, ': ')}` : `${key}${mark}: ${this.#text(type)}`
    return indented(`${docs(property, this.#checker)}${isFixed ? 'readonly ' : ''}${text}\n`)
  }

  #isReadonly({ valueDeclaration }: Symbol): boolean {
    const node = valueDeclaration?.resolve(this.#project)
    if (!node || !(isPropertyDeclaration(node) || isPropertySignatureDeclaration(node))) return false
    return node.modifiers?.some(({ kind }) => kind === SyntaxKind.ReadonlyKeyword) === true
  }

  /** `arrow`: what stands before the type that is given back; null: nothing is. */
  #signature(signature: Signature, arrow: string | null): string {
    const generics = signature.getTypeParameters().map((one) => this.#parameter(one))
    const parameters = signature.getParameters().map((parameter, index, all) => {
      const isRest = signature.hasRestParameter && index === all.length - 1
      const name = /^\w+$/.test(parameter.name) && !parameter.name.startsWith('__') ? parameter.name : 'options'
      const mark = !isRest && this.#isOptional(parameter) ? '?' : ''
      return `${isRest ? '...' : ''}${name}${mark}: ${this.#text(this.#typeOf(parameter))}`
    })
    const head = `${generics.length > 0 ? `<${generics.join(', ')}>` : ''}(${parameters.join(', ')})`
    return arrow === null ? head : `${head}${arrow}${this.#returned(signature)}`
  }

  #returned(signature: Signature): string {
    const predicate = this.#checker.getTypePredicateOfSignature(signature)
    if (predicate?.type && predicate.parameterName !== undefined)
      return `${predicate.parameterName} is ${this.#text(predicate.type)}`
    const type = this.#checker.getReturnTypeOfSignature(signature)
    return type ? this.#text(type) : 'unknown'
  }

  #isOptional({ valueDeclaration }: Symbol): boolean {
    const node = valueDeclaration?.resolve(this.#project)
    return node !== undefined && isParameterDeclaration(node) && (node.questionToken ?? node.initializer) !== undefined
  }

  #parameter(parameter: TypeParameter): string {
    const bound = this.#checker.getConstraintOfTypeParameter(parameter)
    return `${parameter.getSymbol()?.name}${bound ? ` extends ${this.#text(bound)}` : ''}`
  }

  #parameterNames(parameters: readonly TypeParameter[]): string {
    return parameters.length === 0 ? '' : `<${parameters.map((one) => this.#parameter(one)).join(', ')}>`
  }
}

/** `NodeBuilderFlags.NoTruncation`. */
const NO_TRUNCATION = 1

const isZods = ({ name, declarations }: Symbol) =>
  /^\$?Zod/.test(name) && declarations.some(({ path }) => path.includes('/node_modules/zod/'))

/** What a declaration says of itself, as a comment before it. */
function docs(symbol: Symbol, checker: Checker): string {
  const text = symbol.getDocumentationComment(checker).trim()
  return text === '' ? '' : `/** ${text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('*/', '*')} */\n`
}

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')
