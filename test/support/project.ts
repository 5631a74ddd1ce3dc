import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const exec = promisify(execFile)
const MODULES = resolve('node_modules')

/** What a command printed, and how it ended. */
export interface Said {
  code: number
  stdout: string
  stderr: string
}

/** How a project resolves modules, and what of a platform its types know: a page, or Node alone. */
export interface TypesHome {
  resolution: 'nodenext' | 'bundler'
  platform: 'page' | 'node'
  /** Declarations of its libraries are taken as they are. */
  takesLibraries?: boolean
}

/** A project of its own, elsewhere, that has `yaa` as a package and of this one's libraries those that it names. */
export interface Project {
  path: string
  /** Files of the package. */
  packed: readonly string[]
  write(name: string, text: string): string
  /** Runs Node, or another command, in its folder. */
  run(file: string, args: readonly string[], env?: Record<string, string>): Promise<Said>
  /** Faults that TypeScript finds in its files. */
  check(files: readonly string[], home: TypesHome): Promise<string>
  remove(): void
}

/** How a package is packed: as `npm pack` does for anybody, which builds all of it anew, or of what was built. */
const PACKING = {
  anew: [['npm', 'pack', '--json', '--silent']],
  built: [
    [process.execPath, 'src/build/main.ts', 'package'],
    ['npm', 'pack', '--json', '--silent', '--ignore-scripts'],
  ],
} as const

/** Packs what there is, and unpacks it as npm installs it. `libraries`: what the project depends on beside it. */
export async function makeProject(libraries: readonly string[], how: keyof typeof PACKING): Promise<Project> {
  const path = mkdtempSync(join(tmpdir(), 'yaa-project-'))
  const modules = join(path, 'node_modules')
  mkdirSync(modules)
  for (const [file, ...args] of PACKING[how]) {
    const place = file === 'npm' ? ['--pack-destination', path] : []
    await exec(file, [...args, ...place], { maxBuffer: 64 * 1024 * 1024 })
  }
  const [tarball] = readdirSync(path).filter((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm packed nothing')
  await exec('tar', ['xzf', tarball], { cwd: path })
  await exec('mv', ['package', 'node_modules/yaa'], { cwd: path })
  const packed = readdirSync(join(modules, 'yaa'), { recursive: true, encoding: 'utf8' })
  for (const name of libraries) link(join(modules, name), join(MODULES, name))
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
    return join(path, name)
  }
  write('package.json', JSON.stringify({ name: 'own', type: 'module', private: true }))
  const run = (file: string, args: readonly string[], env: Record<string, string> = {}) => said(file, args, path, env)
  return {
    path,
    packed: packed.map((name) => name.replaceAll('\\', '/')),
    write,
    run,
    check: async (files, home) => {
      write('tsconfig.json', JSON.stringify({ compilerOptions: optionsOf(home), files }))
      const { code, stdout: faults } = await run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), '-p', '.'])
      return code === 0 ? '' : faults
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

function link(from: string, to: string): void {
  if (!existsSync(to)) throw new Error(`${to} is not there: npm ci`)
  mkdirSync(dirname(from), { recursive: true })
  symlinkSync(to, from)
}

/** Strict, and declarations are looked at too. */
const optionsOf = ({ resolution, platform, takesLibraries = false }: TypesHome) => ({
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: takesLibraries,
  noEmit: true,
  jsx: 'react-jsx',
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable', ...(platform === 'page' ? ['dom', 'dom.iterable'] : [])],
  types: platform === 'node' ? ['node'] : [],
  module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
  moduleResolution: resolution,
})

async function said(file: string, args: readonly string[], cwd: string, env: Record<string, string>): Promise<Said> {
  const clean = { PATH: process.env['PATH'] ?? '', HOME: cwd, LANG: 'C', ...env }
  try {
    const { stdout, stderr } = await exec(file, [...args], { cwd, env: clean, maxBuffer: 64 * 1024 * 1024 })
    return { code: 0, stdout, stderr }
  } catch (error) {
    if (!(error instanceof Error && 'stdout' in error && 'stderr' in error && 'code' in error)) throw error
    return { code: Number(error.code), stdout: String(error.stdout), stderr: String(error.stderr) }
  }
}
