import type { Language } from '../../domain/language.ts'
import type { RequestProblem } from './request.ts'

const ZH = {
  problems: {
    path_value: (path: string) => `${path}：路径中的值不能为空，也不能是 . 或 ..；没有发送请求。`,
    header: (path: string) => `请求头 ${path} 的值不能发送；没有发送请求。`,
    no_file: (path: string) => `${path}：工作区中没有这个文件；没有发送请求。`,
    too_long: (path: string) => `${path} 太长；没有发送请求。`,
  } satisfies Record<RequestProblem, (path: string) => string>,
}

type Texts = typeof ZH

export const TEXTS: Readonly<Record<Language, Texts>> = {
  'zh-CN': ZH,
  en: {
    problems: {
      path_value: (path) => `${path}: a value in a path is neither empty nor . or ..; nothing was sent.`,
      header: (path) => `The value of the header ${path} cannot be sent; nothing was sent.`,
      no_file: (path) => `${path}: the workspace has no such file; nothing was sent.`,
      too_long: (path) => `${path} is too long; nothing was sent.`,
    },
  },
}
