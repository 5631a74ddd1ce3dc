import {
  isParameterDeclaration,
  isPropertyDeclaration,
  isPropertySignatureDeclaration,
  SyntaxKind,
} from 'typescript/unstable/ast'
import {
  type Checker,
  type Project,
  type Signature,
  SignatureKind,
  type Symbol,
  SymbolFlags,
  type Type,
  type TypeParameter,
} from 'typescript/unstable/sync'

/** How members and signatures are written. */
export class MemberTexts {
  readonly #checker: Checker
  readonly #project: Project
  readonly #text: (type: Type) => string

  /** `text`: how a type is written where it is used. */
  constructor(project: Project, text: (type: Type) => string) {
    this.#project = project
    this.#checker = project.checker
    this.#text = text
  }

  member(property: Symbol): string {
    const [, known] = /@(\w+)@/.exec(property.name) ?? []
    const plain = /^[\w$]+$/.test(property.name) ? property.name : JSON.stringify(property.name)
    const key = known === undefined ? plain : `[Symbol.${known}]`
    const mark = (property.flags & SymbolFlags.Optional) === 0 ? '' : '?'
    const type = typeOf(property, this.#checker)
    const isMethod = (property.flags & SymbolFlags.Method) !== 0
    const signatures = isMethod ? this.#checker.getSignaturesOfType(type, SignatureKind.Call) : []
    const isFixed = (property.flags & SymbolFlags.Accessor) !== 0 || this.#isReadonly(property)
    const told = signatures.map((signature) => this.signature(signature, ': '))
    const rows = told.length > 0 ? told : [`: ${this.#text(type)}`]
    const text = rows.map((row) => `${isFixed ? 'readonly ' : ''}${key}${mark}${row}\n`).join('')
    return indented(docs(property, this.#checker) + text)
  }

  #isReadonly({ valueDeclaration }: Symbol): boolean {
    const node = valueDeclaration?.resolve(this.#project)
    if (!node || !(isPropertyDeclaration(node) || isPropertySignatureDeclaration(node))) return false
    return node.modifiers?.some(({ kind }) => kind === SyntaxKind.ReadonlyKeyword) === true
  }

  /** `arrow`: what stands before the type that is given back; null: nothing is. */
  signature(signature: Signature, arrow: string | null): string {
    const generics = signature.getTypeParameters().map((one) => this.#parameter(one))
    const parameters = signature.getParameters().map((parameter, index, all) => {
      const isRest = signature.hasRestParameter && index === all.length - 1
      const name = /^\w+$/.test(parameter.name) && !parameter.name.startsWith('__') ? parameter.name : 'options'
      const mark = !isRest && this.#isOptional(parameter) ? '?' : ''
      return `${isRest ? '...' : ''}${name}${mark}: ${this.#text(typeOf(parameter, this.#checker))}`
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

  parameterNames(parameters: readonly TypeParameter[]): string {
    return parameters.length === 0 ? '' : `<${parameters.map((one) => this.#parameter(one)).join(', ')}>`
  }
}

/** The type of what a name stands for. */
export function typeOf(symbol: Symbol, checker: Checker): Type {
  const type = checker.getTypeOfSymbol(symbol)
  if (!type) throw new Error(`${symbol.name} has no type`)
  return type
}

/** What a declaration says of itself, as a comment before it. */
export function docs(symbol: Symbol, checker: Checker): string {
  const text = symbol.getDocumentationComment(checker).trim()
  return text === '' ? '' : `/** ${text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('*/', '*')} */\n`
}

export const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')
