/** What refusals say of sessions, their messages and files, of teams and skills, in Chinese; as `PHRASES_ZH`. */
export const SESSION_PHRASES_ZH: Readonly<Record<string, string>> = {
  // Sessions and their logs.
  'an answer to {}': '应为对 {} 的回答',
  'at most {n}, the last event of the session': '最多 {}，即会话的最后一个事件',
  'a message of the assistant': '应为助手的消息',
  'a status such as in_progress': '应为状态，如 in_progress',
  'a link decides one item only': '一个链接只决定一项',
  'what a human decides: a tool_call takes the result of whoever has the tool':
    '应为由人决定的项：tool_call 由拥有该工具的一方给出结果',
  'the id of what is decided, as the link is for a session': '链接针对整个会话，应写明所决定的项的 id',
  'what goes with a result is arguments_hash only': '与 result 一起只能给出 arguments_hash',
  'an approval takes approve or reject': '批准项应给出 approve 或 reject',
  'a question takes answer or reject': '提问应给出 answer 或 reject',
  'a tool_call takes result or error': 'tool_call 应给出 result 或 error',
  'what waits for a time or a delivery takes result, answer or reject':
    '等待时间或投递的项应给出 result、answer 或 reject',
  'nothing without a rating: null takes back all that was said': '没有评分时不能给出：null 撤回全部评价',
  'the id of a session': '应为会话的 id',
  'either ids or filter': 'ids 与 filter 二者取一',
  'an event id: SEQ or SEQ.N': '应为事件 id：SEQ 或 SEQ.N',
  'the next_cursor of this list': '应为此列表的 next_cursor',
  'a whole number': '应为整数',
  '{n} to {n}': '应为 {} 到 {}',
  'a text, parts, or an object of the inputs that the skill declares': '应为文本、多个部分，或技能所声明输入的对象',
  'not given: the model {} does not let sessions change it (models.{}.allow_override)':
    '不能给出：模型 {} 不允许会话修改它（models.{}.allow_override）',
  'at most {} on this server': '此服务器上最多 {}',
  'the name of an MCP server (GET /v1/mcp-servers)': '应为 MCP 服务的名称（见 GET /v1/mcp-servers）',
  'with its inputs at most {n} characters': '连同其输入最多 {} 个字符',
  'another one: a workflow is named': '请换一个：已写明工作流',
  'workflow, or not given: a workflow is its own': '应为 workflow，或不写：已写明工作流',
  'team, or not given: a team brings its own': '应为 team，或不写：已写明团队',
  'another one: a team works in a stored session': '请换一个：团队在服务器保存的会话中工作',
  'agent: {} needs a session (POST /v1/sessions)': '应为 agent：{} 需要会话（POST /v1/sessions）',
  'none with orchestrator {}; it goes with {}': '与编排方式 {} 一起时不能给出；它用于 {}',
  'nothing: the run waits for a human, and this message decides': '不能给出：运行在等人，这条消息就是决定',
  'queue or interrupt: the steps of a workflow are declared, and none of them would hear the message':
    '应为 queue 或 interrupt：工作流的步骤是写定的，没有一步会收到这条消息',
  'another path: an earlier file of the list has this one': '请换一个路径：列表中前面的文件已用了它',
  // Exports.
  'an export of version 1': '应为版本 1 的导出文件',
  'ids of steps with dots between them': '应为步骤的 id，以点号隔开',
  'the type of an event: lower-case words with - . _ between them; no delta, no problem':
    '应为事件的类型：小写单词，以 - . _ 连接；不能是 delta 或 problem',
  'an export has events, or session.messages: [{role, content}]':
    '导出文件应含 events，或 session.messages: [{role, content}]',
  'a log that can be folded: what belongs together is there and in order': '应为可还原的日志：相关的事件齐全且有序',
  '{n}: events are numbered from 1 without gaps': '应为 {}：事件从 1 起连续编号',
  'that of its event': '应与其事件一致',
  'the seq of its event': '应为其事件的 seq',
  'of an earlier event': '应属于更早的事件',
  'another name: `.` and `..` cannot stand in a path': '请换一个名称：`.` 和 `..` 不能出现在路径中',
  'another name: this one means something else already': '请换一个名称：这个已有其他含义',
  'ids that mean nothing else': 'id 不能另有含义',
  'at most {}': '最多 {}',
  // Parts and files.
  'at most {n} characters of text in all': '文本合计最多 {} 个字符',
  'the media type of an image, such as image/png': '应为图片的媒体类型，如 image/png',
  'a PNG, JPEG, GIF or WebP image': '应为 PNG、JPEG、GIF 或 WebP 图片',
  'the path of a file in the workspace': '应为工作区中文件的路径',
  'at most {n} addresses in a request': '一次请求最多 {} 个地址',
  'an address that answers; it said {}': '该地址应能应答；它返回了 {}',
  'at most {n} bytes for {}': '最多 {} 字节（{}）',
  'bytes in base64': '应为 base64 编码的字节',
  'a media type such as application/pdf': '应为媒体类型，如 application/pdf',
  'a JSON value of at most {} bytes': '应为 JSON 值，最多 {} 字节',
  'a part of type image or file': '应为 image 或 file 类型的部分',
  'at most {} bytes of JSON in all': 'JSON 合计最多 {} 字节',
  'at most {n} keys': '最多 {} 个键',
  '1 to 64 letters, digits, _ and -, with no - at the start': '1 至 64 个字母、数字、_ 和 -，不以 - 开头',
  // Teams.
  'up to 64 letters, digits, spaces and . _ -, the first a letter or digit':
    '最多 64 个字母、数字、空格和 . _ -，以字母或数字开头',
  'no team of that name; see GET /v1/teams': '没有该名称的团队；见 GET /v1/teams',
  'no action is named {}': '没有名为 {} 的动作',
  'a skill that GET /v1/skills lists': '应为 GET /v1/skills 列出的技能',
  'a skill without a team or workflow: neither works within a team':
    '应为不带团队和工作流的技能：二者都不能在团队中工作',
  '{} never acts: nothing that it hears is ever said': '{} 永远不会行动：它所监听的内容无人发布',
  'the team has no role {}': '团队中没有角色 {}',
  'another name: this one is that of the user': '请换一个名称：这个是用户的',
  '{} is there already': '{} 已存在',
  'the roles of the team, or the name of one that GET /v1/teams lists':
    '应为团队的角色，或 GET /v1/teams 列出的团队名称',
  // Skills.
  'a zip of the folder of a skill, or its {} alone: this file is neither':
    '应为技能文件夹的 zip，或单独的 {}：此文件两者都不是',
  'a zip that is whole, of at most {n} entries': '应为完整的 zip，最多 {} 个条目',
  'a zip with a {} at its top, or in its one folder': '应为顶层或唯一文件夹中含 {} 的 zip',
  'a file that can be unpacked (stored or deflated, not encrypted)': '应为可解压的文件（存储或 deflate，未加密）',
  'a file, not a link': '应为文件，而不是链接',
  'at most {n} files beside {}': '最多 {} 个文件（{} 之外）',
  'a file of at most {}': '文件最大为 {}',
  'files of at most {} together': '所有文件合计最大为 {}',
  'a relative path within the folder of the skill, once': '应为技能文件夹内的相对路径，且只出现一次',
  'a text in UTF-8': '应为 UTF-8 文本',
  'not JSON: {}': '不是 JSON：{}',
  '{}, as its folder': '应与其文件夹同名：{}',
  'up to 64 letters, digits and _, the first no digit': '最多 64 个字母、数字和 _，不以数字开头',
  'the name of a skill or of a step, or team/NAME, or workflow/NAME':
    '应为技能或步骤的名称，或 team/名称，或 workflow/名称',
  'a SKILL.md: YAML between two lines of three dashes, then the prompt in Markdown':
    '应为 SKILL.md：两行三个连字符之间是 YAML，其后是 Markdown 的提示词',
  'front matter of at most {n} characters': '开头的 YAML 最多 {} 个字符',
  'YAML that can be read: {}': '应为可读的 YAML：{}',
  'front matter with name and description': '开头的 YAML 应含 name 和 description',
  'an object': '应为对象',
  'sections nested at most {n} deep': '小节最多嵌套 {} 层',
  'no partials: {{>{}}}': '不支持引入片段：{{>{}}}',
  'no other delimiters than {{ and }}': '分隔符只能是 {{ 和 }}',
  'unknown variable {}; there are {}': '未知变量 {}；有 {}',
  'required, a {w}': '必填，应为{}',
  '{{ at character {n} is not closed: write }} behind the name, as in {{user_input}}':
    '第 {} 个字符处的 {{ 没有闭合：请在名称之后写上 }}，例如 {{user_input}}',
  '{{#{}}} is not closed: write {{/{}}} where it ends': '{{#{}}} 没有闭合：请在它结束的地方写上 {{/{}}}',
  '{{/{}}} closes nothing: take it away, or write {{#{}}} before it':
    '{{/{}}} 没有可闭合的内容：请删去它，或在它之前写上 {{#{}}}',
  '{{ at character {n} is not closed': '第 {} 个字符处的 {{ 没有闭合',
  'another name: this one is given already': '请换一个名称：这个已被使用',
  'a value of the type of this input': '应为该输入类型的值',
  'names that are all different': '名称不能重复',
  'false: a worker of a plan is a skill that runs agent, a team or a workflow':
    '应为 false：计划的执行者是运行 agent、团队或工作流的技能',
  'workflows as they are kept': '应为所保存形式的工作流',
}

/** The same of refusals as a whole. */
export const SESSION_DETAILS_ZH: Readonly<Record<string, string>> = {
  'an approval takes approve or reject': '批准项应给出 approve 或 reject',
  'a question takes answer or reject': '提问应给出 answer 或 reject',
  'a tool_call takes result or error': 'tool_call 应给出 result 或 error',
  'what waits for a time or a delivery takes result, answer or reject':
    '等待时间或投递的项应给出 result、answer 或 reject',
  'This is not an export that can be read; see errors.': '这不是可读取的导出文件；见 errors。',
  'The team does not fit; see errors.': '团队不符合要求；见 errors。',
  'The config does not fit this server; see errors.': '配置不适用于此服务器；见 errors。',
  'The config names an MCP server that is not there; see errors.': '配置写明了不存在的 MCP 服务；见 errors。',
  'The stateless call runs agent only.': '无状态调用只运行 agent。',
  'The run waits for a human: everything that waits is answered at once.':
    '运行在等待人的决定：所有待决事项应一次答复。',
  'This session waits for a human: a message to it needs a key with scope decide.':
    '该会话在等待人的决定：向它发送消息需要具有权限范围 decide 的密钥。',
  'This link is for another item.': '该链接针对另一项。',
  'This link approves as shown: it was not made with allow_edit.':
    '该链接只能按所示内容批准：创建时没有给出 allow_edit。',
}
