import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, test } from 'vitest'

/** Folders from the ground up: a file imports from its own folder and from those below. Folders of one floor do not know each other. */
const FLOORS: readonly (readonly string[])[] = [
  ['configs', 'src/lib'],
  ['src/domain'],
  ['src/store', 'src/net', 'src/relevance'],
  [
    'src/reader',
    'src/skills',
    'src/models',
    'src/budget',
    'src/memory',
    'src/mcp',
    'src/connections',
    'src/openapi-tools',
    'src/audit',
    'src/telemetry',
    'src/access',
    'src/callbacks',
    'src/client',
    'src/triggers',
  ],
  ['src/tools', 'src/console', 'src/react'],
  ['src/agent'],
  ['src/log'],
  ['src/engine'],
  ['src/orchestrators'],
  ['src/run'],
  ['src/session'],
  ['src/service'],
  ['src/objects'],
  ['src/http'],
  ['src/doors'],
  ['src/index.ts', 'src/library.ts', 'src/build'],
  ['src/cli'],
]

const files = globSync('src/**/*.{ts,tsx}').filter((file) => !file.endsWith('.d.ts'))
const floorOf = (path: string) =>
  FLOORS.findIndex((floor) => floor.some((folder) => path === folder || path.startsWith(`${folder}/`)))
const roomOf = (path: string) =>
  FLOORS[floorOf(path)]?.find((folder) => path === folder || path.startsWith(`${folder}/`))

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const found = text.matchAll(/^(?:import|export)\s[^'"]*?from '([^']+)'|^import '([^']+)'|import\('([^']+)'\)/gm)
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

const localImports = (file: string) =>
  importsOf(file).flatMap((name) => (name.startsWith('.') ? [normalize(join(dirname(file), name))] : []))

/** Rooms of a folder, files and sub-folders, from the ground up. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/session': [
    'call.ts',
    'zip.ts',
    'workspace.ts',
    'commands',
    'queries',
    'notify',
    'transfer',
    'driver',
    'runs.ts',
    'opening.ts',
    'stateless.ts',
    'session.ts',
  ],
  'src/service': [
    'ports.ts',
    'caller.ts',
    'audit.ts',
    'limits.ts',
    'idempotency.ts',
    'given-out.ts',
    'session-ids.ts',
    'sender.ts',
    'admit.ts',
    'run.ts',
    'act.ts',
    'agent.ts',
  ],
  'src/engine': [
    'job.ts',
    'move.ts',
    'work.ts',
    'engine.ts',
    'orchestrator-of.ts',
    'settings.ts',
    'failures',
    'open.ts',
    'closing.ts',
    'worker',
    'prompt',
  ],
  'src/orchestrators': [
    'decide.ts',
    'registry.ts',
    'agent',
    'plan',
    'team',
    'route',
    'workflow',
    'delegate',
    'all.ts',
    'growing.ts',
  ],
  'src/run': ['ports.ts', 'provenance', 'setup', 'steps', 'view.ts', 'titling.ts', 'runner.ts', 'replay'],
  'src/tools': [
    'registry.ts',
    'permission.ts',
    'define.ts',
    'given-tools.ts',
    'cut.ts',
    'output.ts',
    'control.ts',
    'by-schema.ts',
    'client',
    'files',
    'memory',
    'web-access',
    'web-search',
    'wanted-secret.ts',
    'http-request',
    'read-result',
    'waiting',
    'delegation.ts',
    'skills',
    'mcp',
    'openapi',
    'all-tools.ts',
    'own-names.ts',
  ],
  'src/console': [
    'texts',
    'language.ts',
    'route.ts',
    'theme.ts',
    'api.ts',
    'ui',
    'forms',
    'diagram',
    'docs',
    'timeline',
    'sessions',
    'markdown',
    'tab-title.ts',
    'notifications.ts',
    'setup-parts',
    'palette',
    'keys.ts',
    'ways-on.tsx',
    'lost-focus.ts',
    'decide',
    'inbox',
    'share',
    'files',
    'flow',
    'plan',
    'team',
    'session',
    'settings',
    'models',
    'tasks',
    'workflow',
    'setup',
    'spend',
    'connect',
    'link',
    'key-gate.tsx',
    'app.tsx',
    'main.tsx',
  ],
  'src/cli': [
    'mock-model',
    'exit.ts',
    'texts-en.ts',
    'texts-zh-cn.ts',
    'texts.ts',
    'view',
    'serve',
    'context.ts',
    'run',
    'commands',
    'arguments.ts',
    'usage.ts',
    'help.ts',
    'main.ts',
  ],
  'src/doors': ['kernel', 'a2a', 'ag-ui', 'ai-sdk', 'mcp', 'openai', 'projections.ts', 'doors.ts'],
  'src/log': ['branches.ts', 'window.ts', 'reduce', 'deltas.ts', 'journal.ts', 'read-pages.ts', 'observe.ts'],
}

/** Folders whose way has to be read in one go. */
const MIDDLE = ['src/session', 'src/service', 'src/run', 'src/engine', 'src/log']
const MIDDLE_ROOMS_MAX = 12
const MIDDLE_ARROWS_MAX = 40

/** Folders below `src` that have folders in them. */
const WITH_ROOMS = [...new Set(globSync('src/*/**/').map((folder) => dirname(normalize(folder))))].filter((folder) =>
  folder.startsWith('src/'),
)

/** Imports between the rooms of a folder, each pair once. */
function arrowsIn(folder: string): { from: string; to: string }[] {
  const room = (path: string) => path.slice(folder.length + 1).split('/')[0] ?? ''
  const pairs = files
    .filter((file) => file.startsWith(`${folder}/`))
    .flatMap((file) =>
      localImports(file)
        .filter((target) => target.startsWith(`${folder}/`) && room(target) !== room(file))
        .map((target) => `${room(file)} ${room(target)}`),
    )
  return [...new Set(pairs)].map((pair) => {
    const [from = '', to = ''] = pair.split(' ')
    return { from, to }
  })
}

/** Ways that lead back to where they began, each as `a -> b -> a`. */
function circlesIn(places: readonly string[], nextOf: (place: string) => readonly string[]): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (place: string, path: string[]): void => {
    if (path.includes(place)) circles.push([...path.slice(path.indexOf(place)), place].join(' -> '))
    else if (!done.has(place)) for (const next of nextOf(place)) visit(next, [...path, place])
    done.add(place)
  }
  for (const place of places) visit(place, [])
  return circles
}

describe('imports', () => {
  test('there are files to look at, and each lives on a floor', ({ expect }) => {
    expect(WITH_ROOMS.length).toBeGreaterThan(6)
    expect(files.length).toBeGreaterThan(50)
    expect(files.filter((file) => floorOf(file) < 0)).toEqual([])
  })

  test('go down only, and never to a neighbour', ({ expect }) => {
    const wrong = files.flatMap((file) =>
      localImports(file)
        .filter(
          (target) => target !== 'package.json' && roomOf(target) !== roomOf(file) && floorOf(target) >= floorOf(file),
        )
        .map((target) => `${file} -> ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('of the rooms of http go to no route, and from descriptions to none of the others', ({ expect }) => {
    const BESIDE: Readonly<Record<string, RegExp>> = {
      'src/http/middleware': /^src\/http\/(?:middleware\/|(?:context|caller|negotiate)\.ts$)/,
      'src/http/openapi': /^src\/http\/(?:openapi\/|context\.ts$)/,
    }
    const wrong = files.flatMap((file) =>
      localImports(file)
        .filter((target) => target.startsWith('src/http/') && BESIDE[dirname(file)]?.test(target) === false)
        .map((target) => `${file} -> ${target}`),
    )
    expect(files.filter((file) => BESIDE[dirname(file)] !== undefined).length).toBeGreaterThan(7)
    expect(wrong).toEqual([])
  })

  test.for(Object.keys(ROOMS))('within %s go down only', (folder, { expect }) => {
    const floors = ROOMS[folder] ?? []
    const rooms = new Set(files.flatMap((file) => (file.startsWith(`${folder}/`) ? [file.split('/')[2] ?? ''] : [])))
    expect([...rooms].toSorted()).toEqual([...floors].toSorted())
    const arrows = arrowsIn(folder)
    expect(arrows.filter(({ from, to }) => floors.indexOf(to) >= floors.indexOf(from))).toEqual([])
    expect(arrows.length).toBeGreaterThan(1)
  })

  test.for(MIDDLE)('within %s are few, between few rooms', (folder, { expect }) => {
    expect(ROOMS[folder]?.length).toBeLessThanOrEqual(MIDDLE_ROOMS_MAX)
    expect(arrowsIn(folder).length).toBeLessThanOrEqual(MIDDLE_ARROWS_MAX)
  })

  test.for(WITH_ROOMS)('within %s do not lead from a room back to it', (folder, { expect }) => {
    const arrows = arrowsIn(folder)
    const rooms = [...new Set(arrows.map(({ from }) => from))]
    expect(circlesIn(rooms, (room) => arrows.flatMap(({ from, to }) => (from === room ? [to] : [])))).toEqual([])
  })

  test('of a provider of models come from its folder and the registry alone', ({ expect }) => {
    const folderOf = (path: string) => /^src\/models\/[^/]+\//.exec(path)?.[0]
    const isKnown = (file: string) => file === 'src/models/providers.ts' || file.startsWith('src/models/workers-ai/')
    const wrong = files.flatMap((file) =>
      localImports(file)
        .filter((target) => folderOf(target) !== undefined && folderOf(target) !== folderOf(file) && !isKnown(file))
        .map((target) => `${file} -> ${target}`),
    )
    expect(new Set(files.map(folderOf)).size).toBeGreaterThan(3)
    expect(wrong).toEqual([])
  })

  test('of an orchestrator come from the orchestrators alone, on the way of a session', ({ expect }) => {
    const isOrchestrator = (path: string) => /^src\/orchestrators\/[^/]+\//.test(path)
    const wrong = files.flatMap((file) =>
      /^src\/(?:run|session|service|objects)\//.test(file)
        ? localImports(file)
            .filter(isOrchestrator)
            .map((target) => `${file} -> ${target}`)
        : [],
    )
    expect(files.filter(isOrchestrator).length).toBeGreaterThan(10)
    expect(wrong).toEqual([])
  })

  test('of the platform stay in objects and index', ({ expect }) => {
    const wrong = files.filter(
      (file) =>
        !file.startsWith('src/objects/') &&
        file !== 'src/index.ts' &&
        importsOf(file).some((name) => name.startsWith('cloudflare:')),
    )
    expect(wrong).toEqual([])
  })

  test('of Node stay in the terminal and the build, but for what the platform has too', ({ expect }) => {
    const isNodes = (name: string) => name.startsWith('node:')
    const wrong = files
      .filter((file) => !/^src\/(cli|build)\//.test(file))
      .flatMap((file) =>
        importsOf(file)
          .filter(isNodes)
          .map((name) => [file, name]),
      )
    expect(wrong).toEqual([['src/objects/subrequests.ts', 'node:async_hooks']])
  })

  test('do not run in a circle', ({ expect }) => {
    expect(circlesIn(files, localImports)).toEqual([])
  })
})
