import type { AppError } from '../domain/errors.ts'
import type { Language } from '../domain/language.ts'
import { NET_TEXTS, REDIRECTED } from '../net/outcome.ts'
import { PATH_TEXTS } from '../tools/files/texts.ts'
import { SESSION_DETAILS_ZH, SESSION_PHRASES_ZH } from './refusal-phrases-sessions.ts'
import { SET_UP_DETAILS_ZH, SET_UP_PHRASES_ZH } from './refusal-phrases-set-up.ts'
import { WORKFLOW_PHRASES_ZH } from './refusal-phrases-workflows.ts'
import { DOOR_PHRASES_ZH } from './refusal-phrases-doors.ts'
import { FIELD_PHRASES_ZH } from './field-phrases.ts'

/** What errors are called, in Chinese. */
export const TITLES_ZH: Record<AppError['code'], string> = {
  invalid_input: '输入无效',
  no_user_message: '没有用户消息',
  unpriced_model: '模型没有价格',
  unauthorized: '需要密钥',
  bad_signature: '投递的签名不符',
  forbidden: '不允许',
  not_found: '未找到',
  link_expired: '链接已过期',
  method_not_allowed: '不允许的方法',
  run_in_progress: '有运行正在进行',
  run_over: '运行已结束',
  unsupported_version: '不支持的协议版本',
  nothing_to_continue: '没有可继续的内容',
  stale_decision: '决定已过时',
  session_completed: '会话已完成',
  needs_newer: '会话需要更新的版本',
  queue_full: '等待的消息过多',
  webhook_disabled: 'Webhook 已停用',
  already_exists: '已存在',
  too_many: '数量过多',
  job_in_progress: '另一个作业正在进行',
  idempotency_key_reused: '幂等键已用于另一个请求',
  idempotency_in_progress: '使用该键的第一个请求仍在进行',
  precondition_failed: '内容已改变',
  workspace_full: '工作区已满',
  unsupported_transport: '不支持的传输方式',
  body_too_large: '请求体过大',
  headers_too_large: '请求头过大',
  unsupported_media_type: '不支持的内容类型',
  not_acceptable: '没有可接受的形式',
  upgrade_required: '需要 WebSocket',
  rate_limited: '请求过多',
  internal_error: '内部错误',
  not_configured: '服务器尚未配置',
  unavailable: '被重启打断',
  audit_unavailable: '无法写入审计',
  storage_failed: '无法写入数据',
  issuer_unavailable: '取不到签发者的公钥',
}

/** What is said in both languages elsewhere, as phrases. */
function bothOf(said: Readonly<Record<Language, Readonly<Record<string, string>>>>): Record<string, string> {
  const phrase = (text = '') => text.replace('{limit}', '{}')
  const { en, 'zh-CN': chinese } = said
  return Object.fromEntries(Object.entries(en).map(([about, text]) => [phrase(text), phrase(chinese[about])]))
}

/** English phrases of refusals and what they are in Chinese. `{}` is any text, which stands as it is; `{n}` a number, `{w}` one of the `WORDS_ZH`,
 *  `{p}` a phrase itself. Each stands in the Chinese in the same order. The first that fits counts. */
export const PHRASES_ZH: Readonly<Record<string, string>> = {
  ...bothOf(NET_TEXTS),
  ...bothOf(PATH_TEXTS),
  [`${REDIRECTED.en}{p}`]: `${REDIRECTED['zh-CN']}{}`,
  ...SET_UP_PHRASES_ZH,
  ...FIELD_PHRASES_ZH,
  // What stands before others.
  'line {n}: {p}': '第 {} 行：{}',
  'step {}: {p}': '步骤 {}：{}',
  'in {{ }} at {n}: {p}': '第 {} 个字符处的 {{ }} 中：{}',
  'what fits the form: {p}': '应符合表单：{}',
  'a JSON Schema: {p}': '应为 JSON Schema：{}',
  'minute, hour, day, month and weekday with spaces between, such as 0 9 * * 1-5 for 9:00 on weekdays':
    '应为分、时、日、月、星期，以空格隔开，例如 0 9 * * 1-5 表示工作日 9:00',
  // Types, sizes and forms (zod).
  'Invalid input: expected {w}, received {w}': '类型不符：应为{}，收到的是{}',
  'Invalid input: expected {}': '应为 {}',
  'Invalid option: expected one of {}': '应为其中之一：{}',
  'Invalid discriminator value. Expected {}': '应为其中之一：{}',
  'Invalid input: more than one option matched': '同时符合多种形式',
  'Invalid input': '不符合要求',
  '{n} to {n} characters, with or without quotes around them': '应为 {} 到 {} 个字符，两端可加引号',
  'nothing: the run waits for a human, and this message decides': '不能给出：运行在等待人，这条消息是决定',
  'agent: {w} needs a session (POST /v1/sessions)': '应为 agent：{} 需要会话（POST /v1/sessions）',
  'Too big: expected {w} to have <={n} characters': '过长：{}最多 {} 个字符',
  'Too big: expected {w} to have <={n} items': '过多：{}最多 {} 项',
  'Too big: expected {w} to have <={n} entries': '过多：{}最多 {} 项',
  'Too big: expected {w} to be <={}': '过大：{}最大为 {}',
  'Too big: expected {w} to be <{}': '过大：{}应小于 {}',
  'Too small: expected {w} to have >={n} characters': '过短：{}至少 {} 个字符',
  'Too small: expected {w} to have >={n} items': '过少：{}至少 {} 项',
  'Too small: expected {w} to have >={n} entries': '过少：{}至少 {} 项',
  'Too small: expected {w} to be >={}': '过小：{}最小为 {}',
  'Too small: expected {w} to be >{}': '过小：{}应大于 {}',
  'Invalid string: must start with {}': '应以 {} 开头',
  'Invalid string: must end with {}': '应以 {} 结尾',
  'Invalid string: must include {}': '应包含 {}',
  'Invalid string: must match pattern {}': '应符合模式 {}',
  'Invalid email address': '应为电子邮件地址',
  'Invalid URL': '应为网址',
  'Invalid ISO datetime': '应为 RFC 3339 时间',
  'Invalid ISO date': '应为日期，如 2027-01-31',
  'Invalid base64-encoded string': '应为 base64',
  'Invalid number: must be a multiple of {}': '应为 {} 的倍数',
  'Unrecognized key: {}': '未知字段：{}',
  'Unrecognized keys: {}': '未知字段：{}',
  'Invalid key in {w}': '{}的键无效',
  'Invalid value in {w}': '{}的值无效',
  'unknown field': '未知字段',
  'a field has a wrong type': '有字段的类型不符',
  // Bodies and headers.
  'given more than once': '重复给出',
  'not valid JSON in UTF-8': '不是 UTF-8 编码的有效 JSON',
  'nested deeper than {n} levels': '嵌套超过 {} 层',
  'it broke off, or is not framed as HTTP has it': '中途断开，或不符合 HTTP 的分帧',
  'the only member of this name': '同名成员只能有一个',
  'a value that JSON has': '应为 JSON 中有的值',
  'a number': '应为数字',
  'an RFC 3339 time': '应为 RFC 3339 时间',
  'a time such as 2027-01-31T09:00:00Z or 2027-01-31T09:00:00+08:00':
    '应为时间，如 2027-01-31T09:00:00Z 或 2027-01-31T09:00:00+08:00',
  'a time to come': '应为将来的时间',
  'a BCP 47 tag such as zh-CN or en': '应为 BCP 47 语言标签，如 zh-CN 或 en',
  'an ISO 4217 code such as CNY': '应为 ISO 4217 代码，如 CNY',
  'an absolute http or https address': '应为 http 或 https 的绝对地址',
  '{}, as in the path': '应与路径一致：{}',
  'at most {n} characters of JSON': 'JSON 最多 {} 个字符',
  'at most {n} characters of YAML': 'YAML 最多 {} 个字符',
  'at most {n} bytes of JSON': 'JSON 最多 {} 字节',
  'at most {n} characters': '最多 {} 个字符',
  'at most {n} headers, with those that are kept': '连同已保存的最多 {} 个请求头',
  'at most {n} names': '最多 {} 个名称',
  // YAML.
  'YAML that is not nested so deep': 'YAML 嵌套过深',
  'fewer aliases in the YAML': 'YAML 中的别名过多',
  'an object with name, description and steps': '应为含 name、description 和 steps 的对象',
  ...WORKFLOW_PHRASES_ZH,
  // Sessions, messages and triggers.
  'nothing: only a workflow has inputs': '不能给出：只有工作流有输入',
  'nothing: only a session with a team has it': '不能给出：只有带团队的会话才有',
  'nothing: the message joins a run': '不能给出：该消息加入进行中的运行',
  'nothing: no step of a workflow hears words; answer alone what waits':
    '不能给出：工作流的步骤听不到文字；请只答复等待中的事项',
  'nothing: this is agreed to or not': '不能给出：此项只能同意或拒绝',
  'nothing without a task: they are of a run. A message may bring them':
    '没有任务时不能给出：它们属于一次运行，可随消息给出',
  'what is to be done; only with a workflow it may be left out': '应写明要做什么；只有指定了工作流时才可省略',
  'not with workflow': '不能与 workflow 同时给出',
  'the name of the workflow': '应为工作流的名称',
  'the workflow that it runs': '应为它所运行的工作流',
  'a name that no other has': '名称不能与其他的相同',
  'an alias of models': '应为 models 中的别名',
  'either expires_time or ttl_ms': 'expires_time 与 ttl_ms 二者取一',
  'an answer is needed with decision answer': '决定为 answer 时需要给出 answer',
  'arguments and remember go with decision approve only': 'arguments 和 remember 只能与决定 approve 一起给出',
  'queue goes with session same: sessions of their own wait for nobody':
    'queue 只与 session same 一起使用：各自的会话互不等待',
  'allow goes with session new: one session has one run at a time':
    'allow 只与 session new 一起使用：一个会话同时只有一次运行',
  ...DOOR_PHRASES_ZH,
  ...SESSION_PHRASES_ZH,
  'a {w}': '应为{}',
}

/** What refusals say as a whole, and what to do next. */
export const DETAILS_ZH: Readonly<Record<string, string>> = {
  ...SET_UP_DETAILS_ZH,
  ...SESSION_DETAILS_ZH,
  'The input does not fit; see errors.': '输入不符合要求；见 errors。',
  'The inputs do not fit the workflow; see errors.': '输入不符合工作流的要求；见 errors。',
  'The input does not fit the skill; see errors.': '输入不符合技能的要求；见 errors。',
  'The workflow does not fit; see errors.': '工作流不符合要求；见 errors。',
  'The skill does not fit; see errors.': '技能不符合要求；见 errors。',
  'The answer does not fit the form; see errors.': '回答不符合表单；见 errors。',
  'The arguments do not fit the tool; see errors.': '参数不符合工具的要求；见 errors。',
  'The body is no YAML of a workflow; see errors.': '请求体不是工作流的 YAML；见 errors。',
  'The zip is no folder of a skill; see errors.': '该 zip 不是技能文件夹；见 errors。',
  'The body is not valid JSON.': '请求体不是有效的 JSON。',
  'The body is no I-JSON (RFC 7493).': '请求体不符合 I-JSON（RFC 7493）。',
  'The body is nested too deep.': '请求体嵌套过深。',
  'The body did not come whole.': '请求体没有完整到达。',
  'Which chat is it?': '是哪一个聊天？',
  'The last message has to be of the user, or hold the result of a tool or the answer to an approval.':
    '最后一条消息应来自用户，或含有工具的结果或对审批的回答。',
  'The last message has to be of the user, or the result of a tool.': '最后一条消息应来自用户，或为工具的结果。',
  'The last item has to be of the user, the result of a tool, or a decision.':
    '最后一个条目应来自用户，或为工具的结果或决定。',
  'This thread has no run to follow: its first request brings a message of the user.':
    '该线程没有可跟随的运行：首个请求须带用户消息。',
  'The run waits for a human: everything that waits is answered at once.': '运行在等待人：须一次回答所有待决事项。',
  'The Idempotency-Key does not fit.': 'Idempotency-Key 不符合要求。',
  'Last-Event-ID is not an id of this stream.': 'Last-Event-ID 不是此流的事件 id。',
  'The path does not fit; see errors.': '路径不符合要求；见 errors。',
  'The workflow does not fit any more; see errors.': '工作流已不再符合要求；见 errors。',
  'The delivery is signed, but it is not JSON.': '投递的签名有效，但内容不是 JSON。',
  'The delivery is signed, but it is no I-JSON (RFC 7493).': '投递的签名有效，但内容不符合 I-JSON（RFC 7493）。',
  'Who signed in by Cloudflare Access may ask from pages of this server only; show a key from elsewhere.':
    '通过 Cloudflare Access 登录的人只能从本服务器的页面发出请求；从别处请求须出示密钥。',
  'A shipped workflow cannot be deleted; PUT one of its name to replace it.':
    '随产品提供的工作流不能删除；请用 PUT 以同名工作流替换它。',
  'This needs a key with scope {}.': '需要具有权限范围 {} 的密钥。',
  'Send a valid key as Authorization: Bearer KEY.': '请以 Authorization: Bearer KEY 发送有效的密钥。',
  'messages needs at least one message with role user.': 'messages 至少需要一条 role 为 user 的消息。',
  'There is no such {w} here. There are: {}.': '这里没有该{}。有：{}。',
  'There is no such step {} here.': '这里没有步骤 {}。',
  'There is no such task {} here.': '这里没有任务 {}。',
  'There is no such {w} here.': '这里没有该{}。',
  'There is no such {w} now.': '现在没有该{}。',
  'The time of this link is over; ask for a new one.': '该链接已过期；请索取新的链接。',
  'This resource answers {}.': '该资源接受的方法：{}。',
  'Run {} is going on; wait for its end, follow it under …/events, or cancel it.':
    '运行 {} 正在进行；请等待其结束、在 …/events 跟随或取消它。',
  'Run {} is over; send a message to its session for another.': '运行 {} 已结束；向其会话发送消息即可开始新的运行。',
  'Task {} is {w}, so that there is nothing to do of it.': '任务 {} 的状态为{}，没有可做的事。',
  'The session is {w}; send a message to start a run.': '会话的状态为{}；发送一条消息即可开始运行。',
  'What the run had done was undone; send a message to run the workflow anew.':
    '该运行所做的已被撤销；发送一条消息即可重新运行工作流。',
  'Of step {} nothing is kept; retry the step or the item around it.':
    '步骤 {} 没有保留内容；请重试包含它的步骤或列表项。',
  'Step {} is {w}: only one that has ended is done once more. Carry the run on with POST …/continue.':
    '步骤 {} 的状态为{}：只有已结束的步骤可以重做。请用 POST …/continue 继续运行。',
  '{} does not wait for a decision, or not with these arguments; read the session for what is pending.':
    '{} 不在等待决定，或参数不同；请读取会话查看待决事项。',
  'The last message is not from the user; add a user message to go on.':
    '最后一条消息不来自用户；请添加一条用户消息再继续。',
  'At most {n} messages wait for a run; try again when it has ended.': '最多 {} 条消息等待运行；请在其结束后重试。',
  'Nothing was started. Its owner can switch it on again: PATCH with enabled true.':
    '没有启动任何内容。所有者可用 PATCH 将 enabled 设为 true 重新启用。',
  'There is a {w} already: change it, or delete it first.': '已有同名{}：请修改它，或先删除。',
  'At most {n} {w} are kept; delete one first.': '最多保存 {} 个{}；请先删除一个。',
  'The same Idempotency-Key came with another request before; use a new key for a new request.':
    '该 Idempotency-Key 已用于另一个请求；新请求请使用新的键。',
  'Wait for its answer, or send the same request again later.': '请等待其答复，或稍后再次发送相同的请求。',
  'The {w} is at {}; read it again and repeat the change.': '{}已是 {}；请重新读取后再修改。',
  'At most {n} bytes are taken.': '最多接收 {} 字节。',
  'Names and values of all headers may have {n} bytes together.': '所有请求头的名称和值合计最多 {} 字节。',
  'Send the body as {}.': '请以 {} 发送请求体。',
  'Answers are {}: accept one of these.': '可给出的形式：{}；请接受其中之一。',
  'Connect with a WebSocket client (Upgrade: websocket).': '请使用 WebSocket 客户端连接（Upgrade: websocket）。',
  'At most {n} {w} are taken; try again in {n} s.': '最多接收 {} {}；请在 {} 秒后重试。',
  'What the server keeps cannot be written, most likely because its disk is full. Nothing is half done. Make room on the disk of its data folder, then send the same again.':
    '服务器无法写入数据，很可能是磁盘已满。不会有只做了一半的内容。请在数据目录所在的磁盘上腾出空间，然后重发。',
  'The server broke inside. Nothing of the request is known to be done; try again, and name the request_id when you report it.':
    '服务器内部出错，无法确认请求是否有任何部分已完成；请重试，报告问题时请附上 request_id。',
  'The process that answers was replaced meanwhile, as at a deploy. What was begun goes on by itself: read the session, or send the same again under the same Idempotency-Key.':
    '处理请求的进程已被替换，例如正在部署。已开始的会自行继续：请读取会话，或以相同的 Idempotency-Key 重新发送。',
  'Nothing was started: {}.': '没有启动任何内容：{}。',
  'A money limit needs a model with a price in its currency: give the model a price in the config, or use max_total_tokens.':
    '金额限制要求模型有同一币种的价格：请在配置中给出价格，或改用 max_total_tokens。',
  '{} {} is not spoken here. There are: {}.': '这里不支持 {} {}。有：{}。',
  'A later release of the server wrote to this session what this one cannot go on with. It can be read, exported and deleted; run the later release to go on.':
    '更新版本的服务器写入了当前版本无法继续的内容。会话可以读取、导出和删除；请运行更新的版本再继续。',
  '{} ({}) is under way for this user; wait for its end.': '该用户的 {}（{}）正在进行；请等待其结束。',
  'A server with a command would run as a process here (stdio), which is not possible: run it elsewhere over Streamable HTTP and give its url.':
    '带 command 的服务器要在这里作为进程运行（stdio），这不可能：请在别处以 Streamable HTTP 运行并给出其 url。',
  'What an admin does has to be on record, and the audit cannot be written now. Nothing was done; try again later.':
    '管理操作必须留有记录，而现在无法写入审计。没有执行任何操作；请稍后重试。',
  'Whether the token is right is not known: the keys of its issuer cannot be fetched now. Nothing was done; try again later.':
    '现在无法判断令牌是否有效：取不到其签发者的公钥。没有执行任何操作；请稍后重试。',
  'YAA_SECRET has fewer than {n} characters, so that it can be guessed. Set another one (openssl rand -base64 32 | npx wrangler secret put YAA_SECRET), or none, then try again.':
    'YAA_SECRET 少于 {} 个字符，可能被猜出。请另设一个（openssl rand -base64 32 | npx wrangler secret put YAA_SECRET）或不设，然后重试。',
  'Connections are kept encrypted, and YAA_SECRETS_KEY is not set, or has fewer than {n} characters. Set it (openssl rand -base64 32 | npx wrangler secret put YAA_SECRETS_KEY), then try again; yaa serve makes one in its data folder.':
    '连接以加密方式保存，而 YAA_SECRETS_KEY 未设置或少于 {} 个字符。请设置它（openssl rand -base64 32 | npx wrangler secret put YAA_SECRETS_KEY）后重试；yaa serve 会在其数据文件夹中生成一个。',
  'Nobody can be let in: no key is configured. Set YAA_API_KEY, of at least 16 characters (deployed: npx wrangler secret put YAA_API_KEY), or auth in the config, then try again.':
    '没有配置密钥，任何人都无法进入。请设置至少 16 个字符的 YAA_API_KEY（已部署的：npx wrangler secret put YAA_API_KEY），或在配置中设置 auth，然后重试。',
}

/** Types, kinds of things, and states. */
export const WORDS_ZH: Readonly<Record<string, string>> = {
  string: '字符串',
  number: '数字',
  int: '整数',
  integer: '整数',
  boolean: '布尔值',
  array: '数组',
  object: '对象',
  record: '对象',
  null: ' null',
  undefined: '空（缺少该字段）',
  value: '值',
  method: '方法',
  tenant: '租户',
  chat: '聊天',
  'push notification config': '推送配置',
  session: '会话',
  connection: '连接',
  connections: '连接',
  API: ' API',
  APIs: ' API',
  'MCP server': ' MCP 服务',
  'MCP servers': ' MCP 服务',
  'version of the settings': '设置版本',
  result: '结果',
  resource: '资源',
  webhook: ' Webhook',
  task: '任务',
  skill: '技能',
  run: '运行',
  link: '链接',
  file: '文件',
  workflow: '工作流',
  workflows: '工作流',
  skills: '技能',
  keys: '密钥',
  key: '密钥',
  links: '链接',
  thread: '会话线程',
  team: '团队',
  schedule: '定时任务',
  response: '响应',
  model: '模型',
  callback: '回调',
  user: '用户',
  job: '作业',
  message: '消息',
  step: '步骤',
  settings: '设置',
  preference: '偏好',
  idle: '空闲',
  in_progress: '进行中',
  interrupted: '等待中',
  completed: '已完成',
  failed: '失败',
  cancelled: '已取消',
  pending: '尚未开始',
  running: '进行中',
  waiting: '等待中',
  done: '已完成',
  skipped: '已跳过',
}
