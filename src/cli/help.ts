import type { Command, Option } from 'commander'
import type { Language } from '../domain/language.ts'

/** What help says in Chinese, by what it says in English. */
const CHINESE: Readonly<Record<string, string>> = {
  'Usage:': '用法：',
  'Arguments:': '参数：',
  'Options:': '选项：',
  'Commands:': '命令：',
  'Global Options:': '全局选项：',
  'an agent backend for the edge': '运行在边缘的智能体后端',
  'en or zh-CN (default: the language of the terminal)': 'en 或 zh-CN（默认：终端的语言）',
  'output the version number': '显示版本号',
  'display help for command': '显示命令的帮助',
  'port on 127.0.0.1 (0: any free port)': '127.0.0.1 上的端口（0：任意空闲端口）',
  'port the server will use': '服务器将使用的端口',
  'server config, a JSON file': '服务器配置，一个 JSON 文件',
  'folder that keeps the sessions': '存放会话的文件夹',
  'a running server; without it, one is started': '正在运行的服务器；不给则自行启动一个',
  'API key of the server (else YAA_API_KEY, else the key in --data)':
    '服务器的 API 密钥（否则用 YAA_API_KEY，再否则用 --data 中的密钥）',
  'start the server on http://localhost:PORT; Ctrl-C stops it': '在 http://localhost:PORT 启动服务器；Ctrl-C 停止',
  'append the log to this file': '把日志追加到此文件',
  'whose memory a new session uses': '新会话使用谁的记忆',
  'how a new session works': '新会话的工作方式',
  'the team for a new session': '新会话由哪个团队工作',
  'a file or URL to attach; repeat for more': '要附上的文件或网址；可多次使用',
  'do one task and print the answer': '完成一项任务并打印答复',
  'what to do': '要做的事',
  'the skill to use; `yaa skills` lists them': '使用哪个技能；用 `yaa skills` 列出',
  'a JSON Schema that the answer must match': '答复必须符合的 JSON Schema',
  'approve every tool call without asking': '不再询问，批准所有工具调用',
  'print the whole response as JSON': '以 JSON 打印完整的响应',
  'have a conversation; /help lists its commands': '对话；输入 /help 列出其中的命令',
  'continue a session': '继续一个会话',
  'list the sessions, newest first': '列出会话，最新的在前',
  'list models and their prices': '列出模型及其价格',
  'run a workflow and print its result': '运行一个工作流并打印结果',
  'its name; `yaa workflows` lists them': '它的名称；用 `yaa workflows` 列出',
  'one of its inputs; repeat for more': '它的一个输入；可多次使用',
  'all of its inputs, as a JSON object': '它的全部输入，一个 JSON 对象',
  'what to do, in words': '要做的事，用文字说明',
  'run a finished workflow step again, and the steps that depend on it':
    '重新运行工作流中已结束的一步，以及依赖它的步骤',
  'the id of the session': '会话的 id',
  'the path of the step, such as review or each[3].read': '步骤的路径，例如 review 或 each[3].read',
  'list workflows, or add them from YAML or JSON files': '列出工作流，或从 YAML、JSON 文件添加',
  'files with one workflow each; a name that exists gets a new version': '每个文件一个工作流；名称已存在的成为其新版本',
  "list the tenant's connections, or add one (its secret is read from stdin)":
    '列出租户的连接，或添加一个（密钥从标准输入读取）',
  'store a secret under this name': '以此名称保存密钥',
  'the only place the secret is ever sent to': '密钥只会发往这里',
  'revoke the connection of this name': '撤销此名称的连接',
  'the connections of this user': '这个用户的连接',
  'list the APIs whose operations are tools, or add one by the URL of its OpenAPI document':
    '列出操作即工具的接口，或按其 OpenAPI 文档的地址添加一个',
  'add an API under this name': '以此名称添加一个接口',
  'the URL of its OpenAPI document': '其 OpenAPI 文档的地址',
  'the connection to use for it': '它所用的连接',
  'delete the API of this name': '删除此名称的接口',
  "show the tenant's settings, after making these changes": '显示租户的设置（先应用所给的更改）',
  'FIELD=VALUE, such as limits.max_iterations=8; null removes a field':
    '字段=值，例如 limits.max_iterations=8；null 表示去掉该字段',
  'list the versions, newest first': '列出各个版本，最新的在前',
  'print the settings, or the versions, as JSON': '以 JSON 打印设置或各个版本',
  'go back to this version': '恢复到此版本',
  'list who can take a task: agents, teams, skills, workflows': '列出谁可以接受任务：智能体、团队、技能、工作流',
  'run a session from a file and print the response as JSON; nothing is stored':
    '运行文件中的会话，并以 JSON 打印响应；服务器不保存任何内容',
  'SessionData as JSON; - reads it from stdin': 'JSON 格式的 SessionData；- 表示从标准输入读取',
  'how many to list': '列出多少个',
  'print the list as JSON': '以 JSON 打印列表',
  'list skills and their problems, or add folders with a SKILL.md': '列出技能及其问题，或添加含 SKILL.md 的文件夹',
  'folders with a SKILL.md; a skill of the same name is replaced': '含 SKILL.md 的文件夹；同名的技能会被替换',
  'print what the agent would see of web pages, PDFs, Office files and books':
    '打印智能体从网页、PDF、Office 文件和电子书中看到的内容',
  'URLs or files': '网址或文件',
  'print one line of JSON per source, as soon as it is read': '每个来源打印一行 JSON，读完即打印',
  'what to look for in long pages': '想从长页面中找什么',
  'check that everything yaa needs is in place': '检查 yaa 需要的一切是否就绪',
  'print the API key of this machine': '打印本机的 API 密钥',
  'replay an exported session; exit 1 if yaa would decide differently today':
    '重放导出的会话；如今的决策不同则以 1 退出',
  'a file from GET /v1/sessions/{id}/export': 'GET /v1/sessions/{id}/export 得到的文件',
  'run under `wrangler dev`, reloading on changes; other options go to wrangler':
    '用 `wrangler dev` 运行，改动后自动重载；其他选项传给 wrangler',
  'deploy to Cloudflare with this config; other options go to wrangler':
    '连同此配置部署到 Cloudflare；其他选项传给 wrangler',
}

/** Gives the help of a command, and of those in it, in the language of the terminal. What has no translation stays in English. */
export function helpIn(language: Language, command: Command): void {
  if (language === 'en') return
  const said = (text: string) => CHINESE[text] ?? text
  command.description(said(command.description())).helpOption('-h, --help', said('display help for command'))
  command.configureHelp({ ...command.configureHelp(), styleTitle: said, optionDescription: describedInChinese })
  for (const part of [...command.options, ...command.registeredArguments]) part.description = said(part.description)
  if (command.commands.length > 0) command.helpCommand('help [command]', said('display help for command'))
  for (const inner of command.commands) helpIn(language, inner)
}

function describedInChinese({ description, argChoices, defaultValue }: Option): string {
  const choices = argChoices === undefined ? '' : `（可选：${argChoices.join('、')}）`
  const byDefault = defaultValue === undefined ? '' : `（默认：${String(defaultValue)}）`
  return `${description}${choices}${byDefault}`
}
