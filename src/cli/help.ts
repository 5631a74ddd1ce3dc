import type { Command } from 'commander'
import type { Language } from '../domain/language.ts'

/** What help says in Chinese, by what it says in English. */
const CHINESE: Readonly<Record<string, string>> = {
  'Usage:': '用法：',
  'Arguments:': '参数：',
  'Options:': '选项：',
  'Commands:': '命令：',
  'Global Options:': '全局选项：',
  'an agent backend for the edge': '运行在边缘的智能体后端',
  'output the version number': '显示版本号',
  'display help for command': '显示命令的帮助',
  'port on 127.0.0.1; 0: any free one': '127.0.0.1 上的端口；0：任意空闲端口',
  'port that the server is to have': '服务器将使用的端口',
  'server config, a JSON file': '服务器配置，一个 JSON 文件',
  'folder of the sessions': '存放会话的文件夹',
  'a running server; without it one is started': '正在运行的服务器；不给则自行启动一个',
  'API key of the server (else YAA_API_KEY, else the key in --data)':
    '服务器的 API 密钥（否则用 YAA_API_KEY，再否则用 --data 中的密钥）',
  'serve on http://localhost:PORT until SIGINT or SIGTERM': '在 http://localhost:PORT 提供服务，直到 SIGINT 或 SIGTERM',
  'append the log to a file': '把日志追加到文件',
  'whose memory a new session has': '新会话使用谁的记忆',
  'how a new session works': '新会话的工作方式',
  'the team that works in a new session': '在新会话中工作的团队',
  'a file, or an address, that goes along; may be given again': '随附的文件或网址；可以给多次',
  'work on one task and print the answer': '完成一项任务并打印答复',
  'what is to be done': '要做的事',
  'the skill that works on it; yaa chat lists them by /skill': '由哪个技能完成；yaa chat 中用 /skill 列出',
  'the JSON Schema that the answer has to fit': '答复必须符合的 JSON Schema',
  'approve every tool call': '批准所有工具调用',
  'print the whole answer as JSON': '以 JSON 打印完整的答复',
  'talk; /help lists its commands': '对话；/help 列出其中的命令',
  'carry a session on': '继续一个会话',
  'list the sessions, newest first': '列出会话，最新的在前',
  'how many': '多少个',
  'print the list as JSON': '以 JSON 打印列表',
  'list the skills, and what of them does not work; or add folders with a SKILL.md':
    '列出技能及其不可用之处；或添加含 SKILL.md 的文件夹',
  'folders (or a SKILL.md each) to add, or to replace what has their name':
    '要添加的文件夹（或各自的 SKILL.md），同名的会被替换',
  'print what the agent would see of pages, PDFs, Office files and books: addresses, or files on disk':
    '打印智能体从网页、PDF、Office 文件和电子书中看到的内容：网址或本地文件',
  'http or https addresses, or files': 'http 或 https 网址，或文件',
  'one line of JSON a source, as soon as it is read': '每个来源一行 JSON，读完即打印',
  'what is wanted of long pages': '想从长页面中知道什么',
  'check what yaa needs, and say what to do': '检查 yaa 需要的条件，并说明该做什么',
  'print the key that clients on this machine show': '打印本机客户端使用的密钥',
  'decide again over an exported session; exit 1 where today would decide otherwise':
    '对导出的会话重新决策；如今决策不同则以 1 退出',
  'a file from GET /v1/sessions/{id}/export': 'GET /v1/sessions/{id}/export 得到的文件',
  '`wrangler dev` with reload; makes a key in .dev.vars if there is none; options go to it':
    '带自动重载的 `wrangler dev`；.dev.vars 中没有密钥时生成一个；选项传给它',
  'deploy to Cloudflare with a config bundled in; other options go to `wrangler deploy`':
    '连同配置部署到 Cloudflare；其他选项传给 `wrangler deploy`',
}

/** Gives the help of a command, and of those in it, in the language of the terminal. What has no translation stays in English. */
export function helpIn(language: Language, command: Command): void {
  if (language === 'en') return
  const said = (text: string) => CHINESE[text] ?? text
  command.description(said(command.description())).helpOption('-h, --help', said('display help for command'))
  command.configureHelp({ ...command.configureHelp(), styleTitle: said })
  for (const part of [...command.options, ...command.registeredArguments]) part.description = said(part.description)
  if (command.commands.length > 0) command.helpCommand('help [command]', said('display help for command'))
  for (const inner of command.commands) helpIn(language, inner)
}
