import type { Language } from '../../domain/language.ts'

/** The words of the built-in model. */
interface Texts {
  reading(address: string): string
  done: string
  answering: string
  source(address: string): string
  nothingThere: string
  failed(address: string, reason: string): string
  noResult(address: string): string
  leftOut(count: number): string
  cannotRead: string
  byRule: string
  introduction: string
  extract: string
}

export const TEXTS: Readonly<Record<Language, Texts>> = {
  'zh-CN': {
    reading: (address) => `先读取 ${address} 。`,
    done: '任务里的地址都已处理，下面给出结果。',
    answering: '没有可以读取的地址，直接答复。',
    source: (address) => `来源：${address}`,
    nothingThere: '页面里没有可以摘录的文字。',
    failed: (address, reason) => `未能读取 ${address} ：${reason}`,
    noResult: (address) => `${address} 没有返回结果。`,
    leftOut: (count) => `另有 ${count} 个地址没有读取：内置模型每个任务只读取有限个地址。`,
    cannotRead: '这里没有可用的“网页访问”工具，所以任务里的地址没有读取。',
    byRule: '（由内置模型按规则摘录，没有使用大语言模型。）',
    introduction: [
      '这个任务里没有可以读取的网页地址，所以没有调用任何工具。',
      '',
      '我是 yaa 的内置模型：不需要密钥，也不联系任何模型服务，只按固定规则工作，不是大语言模型。',
      '',
      '我能做的：',
      '- 读取任务里写出的 http 或 https 地址（按设置先请你授权），摘出要点并注明来源。例如：“阅读 https://example.com/ 并列出要点”。',
      '',
      '问答、写作、推理和规划需要大语言模型，任选一种方式接入：',
      '- 在控制台中：“设置 → 模型 → 添加模型”，只需服务商的密钥，立即生效；',
      '- 启动时带上配置，密钥放在环境变量里：`npm start -- --config configs/deepseek.json`（openai、qwen、ollama、workers-ai 同理）；',
      '- 或者在会话的 `config.llm` 里给出 `api_url`、`api_key` 和 `model`。',
    ].join('\n'),
    extract: '任务原文的要点：',
  },
  en: {
    reading: (address) => `Reading ${address} first.`,
    done: 'Those are all the addresses in the task. Here is what I found.',
    answering: 'There is no address to read, so here is the answer.',
    source: (address) => `Source: ${address}`,
    nothingThere: 'The page holds no text to take points from.',
    failed: (address, reason) => `${address} could not be read: ${reason}`,
    noResult: (address) => `${address} gave no result.`,
    leftOut: (count) => `Not read: ${count} more; the built-in model reads a limited number of addresses per task.`,
    cannotRead: 'There is no web_access tool here, so the addresses in the task were not read.',
    byRule: '(Extracted by rule by the built-in model; no language model was used.)',
    introduction: [
      'This task names no web address to read, so no tool was called.',
      '',
      'I am the built-in model of yaa: I need no key and contact no model service. I work by fixed rules and am not a language model.',
      '',
      'What I can do:',
      '- Read the http or https addresses written in a task (with your approval, as configured) and list the key points with their source. For example: “Read https://example.com/ and list its key points”.',
      '',
      'Questions, writing, reasoning and planning need a language model. Connect one in any of these ways:',
      '- in the console, under Set-up → Models → Add a model: all you need is the key of a provider, and it works at once;',
      '- start with a config and its key in the environment: `npm start -- --config configs/deepseek.json` (openai, qwen, ollama and workers-ai likewise);',
      '- or give `api_url`, `api_key` and `model` in the `config.llm` of a session.',
    ].join('\n'),
    extract: 'Key points of the task as given:',
  },
}
