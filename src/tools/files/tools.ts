import * as z from 'zod'
import { filePath, type Files } from '../../domain/file.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defineTool, loadedOnUse } from '../define.ts'

const { mapCharsMax, mapLinesMax, pageLinesMax, patternCharsMax } = LIMITS.files
const { readCharsMax, readLinesMax, searchCharsMax, searchLinesMax } = LIMITS.files

/** A path as a model writes it; whether it is one is told in the session's language. */
export const writtenPath = z.string().max(2_000)

const PATH_PARAMETER = {
  names: { 'zh-CN': '路径', en: 'path' },
  description: {
    'zh-CN': '相对路径，如 docs/报告.md',
    en: 'relative path, such as docs/report.md',
  },
} as const

/** The paths that a call touches, for rules of config. */
function touchedPath(args: Record<string, unknown>): { paths: string[] } {
  const checked = typeof args['path'] === 'string' ? filePath(args['path']) : null
  return { paths: checked?.ok ? [checked.path] : [] }
}

/** The same of a call that means a folder and all that is in it. */
function touchedFolder(args: Record<string, unknown>): { paths: string[] } {
  const written = typeof args['path'] === 'string' ? args['path'].trim().replace(/\/+$/, '') : ''
  return { paths: touchedPath({ path: written }).paths.flatMap((path) => [path, `${path}/`]) }
}

/** A workspace in which a list leaves out what a call may not show. What a call names is decided on before it is made. */
export function visibleFiles(files: Files, mayShow: (path: string) => boolean): Files {
  return {
    list: (query) => files.list(query).filter(({ path }) => mayShow(path)),
    stat: (path) => files.stat(path),
    read: (path) => files.read(path),
    total: () => files.total(),
  }
}

const EXPECTED = '1, 2, 3 …'
const line = z.coerce.number(EXPECTED).int(EXPECTED).min(1, EXPECTED).optional()
/** Which lines of a file are read. */
export const LINES = {
  input: { offset: line, limit: line },
  parameters: {
    offset: {
      names: { 'zh-CN': '起始行', en: 'offset' },
      description: { 'zh-CN': '从第几行读起，默认 1', en: 'the line to begin with, default 1' },
    },
    limit: {
      names: { 'zh-CN': '行数', en: 'limit' },
      description: { 'zh-CN': `最多读几行，至多 ${pageLinesMax}`, en: `lines to read, at most ${pageLinesMax}` },
    },
  },
} as const

const readInput = z.strictObject({ path: writtenPath, ...LINES.input })

const withReader = loadedOnUse(() => import('./read.ts'))
const withLister = loadedOnUse(() => import('./list.ts'))

const readFile = defineTool({
  id: 'read_file',
  synchronous: true,
  needs: 'files',
  provenance: 'workspace',
  names: { 'zh-CN': '读取文件', en: 'read_file' },
  description: {
    'zh-CN': '读取工作区中一个文字文件；长文件分段给出。',
    en: 'Read a text file of the workspace; a long one in parts.',
  },
  risk: 'read',
  idempotent: true,
  sequential: true,
  output: { charsMax: readCharsMax, linesMax: readLinesMax },
  effects: touchedPath,
  input: readInput,
  parameters: {
    path: PATH_PARAMETER,
    ...LINES.parameters,
  },
  run: (wanted, context) => withReader(({ readPart }) => readPart(wanted, context)),
})

const text = z.string().max(LIMITS.text.contentCharsMax)

const writeFile = defineTool({
  id: 'write_file',
  names: { 'zh-CN': '写入文件', en: 'write_file' },
  description: {
    'zh-CN': '在工作区新建或覆盖一个文件。',
    en: 'Create or replace a file of the workspace.',
  },
  risk: 'write',
  idempotent: true,
  sequential: true,
  effects: touchedPath,
  input: z.strictObject({ path: writtenPath, content: text }),
  parameters: {
    path: PATH_PARAMETER,
    content: {
      names: { 'zh-CN': '内容', en: 'content' },
      description: { 'zh-CN': '全部内容', en: 'all that it is to hold' },
    },
  },
  run: async (wanted, context) => (await import('./write.ts')).writeWhole(wanted, context),
})

const deleteFile = defineTool({
  id: 'delete_file',
  needs: 'files',
  names: { 'zh-CN': '删除文件', en: 'delete_file' },
  description: { 'zh-CN': '删除工作区中的一个文件。', en: 'Delete a file of the workspace.' },
  risk: 'destructive',
  idempotent: true,
  sequential: true,
  effects: touchedPath,
  input: z.strictObject({ path: writtenPath }),
  parameters: { path: PATH_PARAMETER },
  run: async (wanted, context) => (await import('./write.ts')).deleteOne(wanted, context),
})

const editInput = z.strictObject({
  path: writtenPath,
  old: text.min(1),
  new: text,
  all: z.boolean('true | false').optional(),
})

const editFile = defineTool({
  id: 'edit_file',
  needs: 'files',
  names: { 'zh-CN': '编辑文件', en: 'edit_file' },
  description: {
    'zh-CN': '把工作区文件中的一段原文换成新文；原文必须与文件完全一致，而且只出现一次。',
    en: 'Replace a text in a file of the workspace by another; the old one must be exactly as in the file, and unique.',
  },
  risk: 'write',
  idempotent: true,
  sequential: true,
  effects: touchedPath,
  input: editInput,
  parameters: {
    path: PATH_PARAMETER,
    old: { names: { 'zh-CN': '原文', en: 'old' }, description: { 'zh-CN': '要换掉的文字', en: 'the text to replace' } },
    new: {
      names: { 'zh-CN': '新文', en: 'new' },
      description: { 'zh-CN': '换成的文字', en: 'what comes in its place' },
    },
    all: {
      names: { 'zh-CN': '全部', en: 'all' },
      description: { 'zh-CN': 'true 表示替换所有出现之处', en: 'true: replace wherever it occurs' },
    },
  },
  run: async (wanted, context) => (await import('./write.ts')).editText(wanted, context),
})

const FOLDER_PARAMETER = {
  names: { 'zh-CN': '路径', en: 'path' },
  description: {
    'zh-CN': '目录，或带 * 和 ** 的式子，如 docs/**/*.md；默认全部',
    en: 'a folder, or a pattern with * and **, such as docs/**/*.md; default: all',
  },
} as const

export const listFiles = defineTool({
  id: 'list_files',
  synchronous: true,
  needs: 'files',
  provenance: 'workspace',
  names: { 'zh-CN': '列出文件', en: 'list_files' },
  description: { 'zh-CN': '列出工作区中的文件及其大小。', en: 'List the files of the workspace with their sizes.' },
  risk: 'read',
  idempotent: true,
  sequential: true,
  output: { charsMax: mapCharsMax, linesMax: mapLinesMax },
  effects: touchedFolder,
  input: z.strictObject({ path: writtenPath.optional() }),
  parameters: { path: FOLDER_PARAMETER },
  run: ({ path }, context) => withLister(({ listFolder }) => listFolder(path, context)),
})

const searchInput = z.strictObject({
  query: z.string().min(1).max(patternCharsMax),
  regex: z.boolean('true | false').optional(),
  path: writtenPath.optional(),
})

const searchFiles = defineTool({
  id: 'search_files',
  needs: 'files',
  provenance: 'workspace',
  names: { 'zh-CN': '搜索文件', en: 'search_files' },
  description: {
    'zh-CN': '在工作区的文字文件中逐行查找，给出文件、行号和该行。',
    en: 'Search the text files of the workspace line by line; gives file, line number and line.',
  },
  risk: 'read',
  idempotent: true,
  sequential: true,
  output: { charsMax: searchCharsMax, linesMax: searchLinesMax },
  effects: touchedFolder,
  input: searchInput,
  parameters: {
    query: {
      names: { 'zh-CN': '查询', en: 'query' },
      description: { 'zh-CN': '要找的文字', en: 'the text to look for' },
    },
    regex: {
      names: { 'zh-CN': '正则', en: 'regex' },
      description: {
        'zh-CN': 'true 表示查询是正则表达式（不支持环视和反向引用）',
        en: 'true: query is a regular expression (without lookaround and backreferences)',
      },
    },
    path: FOLDER_PARAMETER,
  },
  run: async (wanted, context) => (await import('./search.ts')).findLines(wanted, context),
})

/** The tools of a session's workspace. */
export const FILE_TOOLS = [readFile, writeFile, editFile, listFiles, searchFiles, deleteFile] as const
