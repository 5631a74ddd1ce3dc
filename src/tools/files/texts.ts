import type { ChangeProblem, PathProblem } from '../../domain/file.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import { byteSize } from '../../lib/text.ts'

const { pathCharsMax, depthMax, fileBytesMax, filesMax, sessionBytesMax } = LIMITS.files

/** Why a text names no file, for a person or a model. */
export const PATH_TEXTS: Readonly<Record<Language, Readonly<Record<PathProblem, string>>>> = {
  'zh-CN': {
    empty: '路径是空的。请给出文件名，例如 docs/报告.md。',
    absolute: '路径不能以 / 或盘符开头：文件都在会话自己的工作区里。请用相对路径，例如 docs/报告.md。',
    traversal: '路径中不能有 . 或 .. 这样的目录（任何写法都不行）：工作区之外没有文件。',
    segment: '路径中有空的名称，或名称以空格或点结尾（或以空格开头）。请修改后再试。',
    characters: '路径中有不允许的字符：反斜杠、控制字符、改变文字方向的字符，或编码后的分隔符。目录请用 / 分隔。',
    too_long: `路径过长：最多 ${pathCharsMax} 个字符。`,
    too_deep: `路径层级过多：最多 ${depthMax} 层。`,
  },
  en: {
    empty: 'The path is empty. Give the name of a file, such as docs/report.md.',
    absolute:
      'The path must not begin with / or a drive: all files are in the workspace of the session. Use a relative path, such as docs/report.md.',
    traversal:
      'The path must not hold . or .. as a folder, in whatever spelling: there are no files outside the workspace.',
    segment: 'The path holds an empty name, or one that begins with a space or ends with a space or a dot. Change it.',
    characters:
      'The path holds a character that is not allowed: a backslash, a control character, one that turns the direction of text, or an encoded separator. Use / between folders.',
    too_long: `The path is too long: at most ${pathCharsMax} characters.`,
    too_deep: `The path is too deep: at most ${depthMax} levels.`,
  },
}

/** Why a change of the workspace was not made. */
export const CHANGE_TEXTS: Readonly<Record<Language, Readonly<Record<ChangeProblem, string>>>> = {
  'zh-CN': {
    stale: '文件在这次调用期间被别处改动，没有写入任何内容。请重新读取后再试。',
    missing: '没有这个文件。用“列出文件”查看有哪些文件。',
    file_too_large: `文件过大：一个文件最多 ${byteSize(fileBytesMax)}。`,
    too_many_files: `文件过多：一个会话最多 ${filesMax} 个文件。请先删除不用的文件。`,
    session_full: `工作区已满：一个会话的文件合计最多 ${byteSize(sessionBytesMax)}。请先删除不用的文件。`,
    is_folder: '这个路径是一个目录（其中已有文件）。请换一个文件名。',
    in_file: '路径中的某个目录是一个已有的文件。请换一个路径。',
  },
  en: {
    stale: 'The file was changed elsewhere during this call, so nothing was written. Read it again, then try again.',
    missing: 'There is no such file. list_files shows those that there are.',
    file_too_large: `The file is too large: at most ${byteSize(fileBytesMax)} each.`,
    too_many_files: `There are too many files: at most ${filesMax} in a session. Delete some that are not needed.`,
    session_full: `The workspace is full: the files of a session hold at most ${byteSize(sessionBytesMax)}. Delete some that are not needed.`,
    is_folder: 'The path is a folder (there are files in it). Use another name.',
    in_file: 'One of the folders of the path is a file. Use another path.',
  },
}
