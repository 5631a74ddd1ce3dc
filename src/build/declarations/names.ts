import { type Checker, type Project, type Symbol, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/sync'

/** Files whose types have names of their own in declarations. */
const NAMED = /\/src\/.*\.ts$/

/** A type with a name. */
export interface Named {
  name: string
  symbol: Symbol
  type: Type
}

/** The names of types, by the types' ids. */
export class TypeNames {
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

/** What a name stands for that may be exported again by others. */
export const resolved = (symbol: Symbol, checker: Checker) =>
  (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
