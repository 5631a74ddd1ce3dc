import {
  type Checker,
  ObjectFlags,
  type Project,
  SignatureKind,
  type Symbol,
  SymbolFlags,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync'
import { MemberTexts, typeOf } from './members.ts'
import type { Named, TypeNames } from './names.ts'

/** What of the platform is told without its arguments, which not all typings of it have. */
const BARE = new Set(['Uint8Array', 'Request', 'RequestInit', 'Response'])

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

/** How types are written. */
export class TypeTexts {
  /** Whether schemas of zod were written. */
  hasSchemas = false
  readonly #checker: Checker
  readonly #names: TypeNames
  readonly #reference: (named: Named) => string
  readonly #members: MemberTexts
  readonly #within: number[] = []

  /** `reference`: a name, which is declared or imported. */
  constructor(project: Project, names: TypeNames, reference: (named: Named) => string) {
    this.#checker = project.checker
    this.#names = names
    this.#reference = reference
    this.#members = new MemberTexts(project, (type) => this.text(type))
  }

  /** A type where it is used: by its name if it has one. */
  text(type: Type): string {
    const known = this.#names.of(type)
    return known ? this.#reference(known) : this.structure(type)
  }

  /** A type by what it is made of. */
  structure(type: Type): string {
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
    if (type.isIndexedAccessType()) return `${this.#wrapped(type.getObjectType())}[${this.text(type.getIndexType())}]`
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
    if (/(?<![.\w])z\./.test(text)) this.hasSchemas = true
    return text
  }

  #union(type: Type, types: readonly Type[]): string {
    const rest = this.#checker.getNonNullableType(type)
    const isNullable = (one: Type) => (one.flags & (TypeFlags.Null | TypeFlags.Undefined)) !== 0
    const known = rest && rest.id !== type.id ? this.#names.of(rest) : undefined
    if (known)
      return [this.#reference(known), ...types.filter(isNullable).map((one) => this.structure(one))].join(' | ')
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
    const text = this.text(type)
    const isWhole = this.#names.of(type) !== undefined || (type.flags & TypeFlags.Boolean) !== 0
    const isLoose = type.isUnionType() || type.isIntersectionType() || this.isFunction(type)
    return isLoose && !isWhole ? `(${text})` : text
  }

  isFunction(type: Type): boolean {
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
    if (first && others.length === 0 && this.isFunction(type)) return this.#members.signature(first, ' => ')
    return this.#literal(type)
  }

  #tuple(type: Type): string {
    const entries = type.isTypeReference() ? this.#checker.getTypeArguments(type) : []
    const target = type.isTypeReference() ? type.getTarget() : type
    const isReadonly = target.isTupleType() && target.readonly
    return `${isReadonly ? 'readonly ' : ''}[${entries.map((one) => this.text(one)).join(', ')}]`
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
    const given = this.#checker.getTypeArguments(type).map((one) => this.text(one))
    return `${this.#reference(known)}<${given.join(', ')}>`
  }

  /** A schema of zod, by what it gives and what it takes. */
  #schema(type: Type): string {
    this.hasSchemas = true
    if (this.#checker.typeToString(type).startsWith('ZodObject<$ZodLooseShape')) return 'z.ZodObject'
    const inside = this.#checker.getPropertyOfType(type, '_zod')
    const sides = ['output', 'input'].map((name) => {
      const side = inside && this.#checker.getPropertyOfType(typeOf(inside, this.#checker), name)
      return side ? this.text(typeOf(side, this.#checker)) : 'unknown'
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
    const told = given.filter((one) => !(one.isTypeParameter() && one.isThisType === true)).map((one) => this.text(one))
    return told.length === 0 ? symbol.name : `${symbol.name}<${told.join(', ')}>`
  }

  #literal(type: Type): string {
    const properties = this.#checker.getPropertiesOfType(type)
    const indexes = this.#checker.getIndexInfosOfType(type)
    const calls = this.#checker.getSignaturesOfType(type, SignatureKind.Call)
    const [index] = indexes
    if (properties.length === 0 && calls.length === 0 && index)
      return `Record<${this.text(index.keyType)}, ${this.text(index.valueType)}>`
    const rows = indexes.map(({ keyType, valueType }) => `  [key: ${this.text(keyType)}]: ${this.text(valueType)}\n`)
    const signatures = calls.map((signature) => `  ${this.#members.signature(signature, ': ')}\n`)
    const members = [...rows, ...signatures, ...properties.map((property) => this.#members.member(property))]
    return members.length === 0 ? '{}' : `{\n${members.join('')}}`
  }
}

/** `NodeBuilderFlags.NoTruncation`. */
const NO_TRUNCATION = 1

const isZods = ({ name, declarations }: Symbol) =>
  /^\$?Zod/.test(name) && declarations.some(({ path }) => path.includes('/node_modules/zod/'))
