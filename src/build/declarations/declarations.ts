import { API } from 'typescript/unstable/sync'
import { ROOT } from '../bundle.ts'
import { Declarations } from './entry.ts'
import { TypeNames } from './names.ts'

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
    const names = new TypeNames(project)
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
