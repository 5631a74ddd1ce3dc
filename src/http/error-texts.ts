import type { AppError } from '../domain/errors.ts'
import type { Localized } from '../domain/language.ts'

/** What one can do about each error: the page `/docs/errors`. */
export const ERROR_TEXTS: Record<AppError['code'], Localized> = {
  invalid_input: {
    en: 'Something of the request does not fit. `errors` has the path of each place and what was expected there; correct it and send again.',
    'zh-CN': '请求中有内容不符合要求。`errors` 给出每一处的路径和要求；改正后重新发送。',
  },
  no_user_message: {
    en: 'The stateless call needs at least one message with role `user`.',
    'zh-CN': '无状态调用至少需要一条 `role` 为 `user` 的消息。',
  },
  unpriced_model: {
    en: 'A money limit needs a model with a price in its currency. Give the model a price in the config, or limit tokens instead.',
    'zh-CN': '金额限制要求模型有同一币种的价格。请在配置中给出价格，或改用 Token 限制。',
  },
  unauthorized: {
    en: 'No key came, or one that is unknown, revoked or expired. Send `Authorization: Bearer KEY`; `WWW-Authenticate` says which of the two it was.',
    'zh-CN':
      '没有密钥，或密钥未知、已吊销、已过期。请发送 `Authorization: Bearer KEY`；`WWW-Authenticate` 说明是哪一种。',
  },
  bad_signature: {
    en: 'The delivery of a webhook does not prove where it comes from: its signature, its time or its secret is wrong. Nothing was started.',
    'zh-CN': 'webhook 投递无法证明来源：签名、时间或密钥有误。没有启动任何任务。',
  },
  forbidden: {
    en: 'The key may not do this. Where a scope is missing, `detail` and `WWW-Authenticate` name it.',
    'zh-CN': '该密钥无权这样做。若缺少权限范围，`detail` 和 `WWW-Authenticate` 会写明。',
  },
  not_found: {
    en: 'There is no such thing here, or it belongs to another tenant, or it was deleted.',
    'zh-CN': '这里没有该资源，或它属于其他租户，或已被删除。',
  },
  link_expired: {
    en: 'The time of the signed link is over. Ask whoever sent it for a new one.',
    'zh-CN': '签名链接已过期。请向发送者要一个新的。',
  },
  method_not_allowed: {
    en: 'The address is right, the method is not. `Allow` lists those that it answers.',
    'zh-CN': '地址正确，方法不对。`Allow` 列出可用的方法。',
  },
  run_in_progress: {
    en: 'A run of the session is going on. Wait for its end, follow it under `…/events`, cancel it, or send with `?when_busy=queue` or `steer`.',
    'zh-CN': '会话中有运行正在进行。请等待结束、在 `…/events` 跟随、取消，或带 `?when_busy=queue`、`steer` 发送。',
  },
  run_over: {
    en: 'The run takes no message any more, and there is nothing to cancel or to follow. Send a message to its session to begin another.',
    'zh-CN': '该运行已结束，不再接收消息，也无可取消或跟随。请向其会话发送消息以开始新的运行。',
  },
  unsupported_version: {
    en: 'The protocol is spoken here in other versions than the one that was asked for. `detail` names them.',
    'zh-CN': '这里不支持所请求的协议版本。`detail` 列出支持的版本。',
  },
  nothing_to_continue: {
    en: 'No run of the session can be carried on, or not from there; `detail` says why. Send a message to start one.',
    'zh-CN': '会话没有可以继续的运行，或不能从该处继续；原因见 `detail`。发送一条消息即可开始新的运行。',
  },
  stale_decision: {
    en: 'The item does not wait any more, or not with these arguments. Read the session for what is pending now. Nothing was run.',
    'zh-CN': '该事项已不再等待，或参数已不同。请读取会话查看当前待决事项。没有执行任何操作。',
  },
  session_completed: {
    en: 'The session that was sent is completed. Add a user message to go on.',
    'zh-CN': '发送的会话已完成。加一条用户消息即可继续。',
  },
  job_in_progress: {
    en: 'A job of the user is under way already. Read it for how far it is, and ask again when it is over.',
    'zh-CN': '该用户已有任务在进行。请读取其进度，结束后再提交。',
  },
  queue_full: {
    en: 'Too many messages wait for a run already. Send again when one has ended.',
    'zh-CN': '等待运行的消息已过多。请在某个运行结束后重新发送。',
  },
  webhook_disabled: {
    en: 'The webhook is switched off; nothing was started. Its owner can switch it on with PATCH.',
    'zh-CN': '该 webhook 已停用；没有启动任何任务。其所有者可用 PATCH 启用。',
  },
  already_exists: {
    en: 'There is one of this name already. Change it, or delete it first.',
    'zh-CN': '同名资源已存在。请修改它，或先删除。',
  },
  too_many: {
    en: 'As many as may be kept, or as many bytes, are there already. Delete one first.',
    'zh-CN': '数量或字节数已达上限。请先删除一个。',
  },
  idempotency_key_reused: {
    en: 'The same `Idempotency-Key` came with another request before. Use a new key for a new request.',
    'zh-CN': '同一个 `Idempotency-Key` 曾用于另一个请求。新的请求请用新的键。',
  },
  idempotency_in_progress: {
    en: 'The first request with this `Idempotency-Key` is still running. Wait, or send the same again later.',
    'zh-CN': '使用该 `Idempotency-Key` 的首个请求仍在进行。请等待，或稍后原样重发。',
  },
  precondition_failed: {
    en: 'It has changed since you read it. Read it again and repeat the change with its new `ETag`.',
    'zh-CN': '读取之后它已改变。请重新读取，用新的 `ETag` 再次修改。',
  },
  workspace_full: {
    en: 'The workspace of the session holds no more, or the file cannot be changed so. `detail` says which.',
    'zh-CN': '会话的工作区已满，或文件不能这样修改。`detail` 说明原因。',
  },
  unsupported_transport: {
    en: 'An MCP server with a command would run as a process here. Run it elsewhere over Streamable HTTP and give its `url`.',
    'zh-CN': '带命令的 MCP 服务器需要在此处启动进程。请在别处以 Streamable HTTP 运行并给出 `url`。',
  },
  body_too_large: {
    en: 'The body has more bytes than are taken. `detail` says how many may come.',
    'zh-CN': '请求体过大。`detail` 说明允许的字节数。',
  },
  headers_too_large: {
    en: 'Names and values of all headers are too long together. Send fewer or shorter ones.',
    'zh-CN': '所有请求头的名称和值总长过大。请减少或缩短。',
  },
  unsupported_media_type: {
    en: 'The body is of a type, or in a content encoding, that is not read here. `detail` says what is.',
    'zh-CN': '请求体的类型或内容编码不受支持。`detail` 说明可用的类型。',
  },
  not_acceptable: {
    en: 'The client takes none of the media types in which it could be answered. `detail` names them.',
    'zh-CN': '客户端不接受任何可用的答复类型。`detail` 列出可用的类型。',
  },
  upgrade_required: {
    en: 'This address speaks WebSocket. Connect with `Upgrade: websocket`, or follow `…/events`.',
    'zh-CN': '该地址使用 WebSocket。请以 `Upgrade: websocket` 连接，或跟随 `…/events`。',
  },
  rate_limited: {
    en: 'A limit of the key or of the tenant is reached. Wait as long as `Retry-After` says.',
    'zh-CN': '已达到密钥或租户的限制。请按 `Retry-After` 等待。',
  },
  internal_error: {
    en: 'The server broke inside. Send the same again under the same `Idempotency-Key`, and name the `request_id` when you report it.',
    'zh-CN': '服务器内部出错。请用同一个 `Idempotency-Key` 重发；报告时请给出 `request_id`。',
  },
  not_configured: {
    en: 'The server has no key yet, or a `YAA_SECRET` of fewer than 32 characters, so that it answers nobody. `detail` says which. Set the secret `YAA_API_KEY`, or `auth` in the config; or another `YAA_SECRET`. Connections need `YAA_SECRETS_KEY`, which encrypts them.',
    'zh-CN':
      '服务器还没有密钥，或者 `YAA_SECRET` 不足 32 个字符，因此不回答任何人。`detail` 说明是哪一种。请设置 `YAA_API_KEY` 或配置中的 `auth`，或者更换 `YAA_SECRET`。连接需要用于加密的 `YAA_SECRETS_KEY`。',
  },
  needs_newer: {
    en: 'A later release of the server wrote to this session what this one cannot go on with. Read, export or delete it here; run the later release to go on.',
    'zh-CN':
      '较新版本的服务器在此会话中写入了本版本无法继续的内容。在这里可以读取、导出或删除；要继续，请运行较新版本。',
  },
  audit_unavailable: {
    en: 'What an admin does has to be on record, and the audit cannot be written now. Nothing was done; try again later.',
    'zh-CN': '管理员的操作必须记录在案，而审计现在无法写入。什么都没有做；请稍后重试。',
  },
  issuer_unavailable: {
    en: 'Whether the token is right is not known: the keys of its issuer cannot be fetched now. Nothing was done; try again later.',
    'zh-CN': '现在无法判断令牌是否有效：取不到其签发者的公钥。没有执行任何操作；请稍后重试。',
  },
  storage_failed: {
    en: 'What the server keeps cannot be written, most likely because its disk is full. Make room on the disk of its data folder (`--data`), then send the same again. Nothing is half done.',
    'zh-CN':
      '服务器无法写入数据，很可能是磁盘已满。请在数据目录（`--data`）所在的磁盘上腾出空间，然后重发。不会有只做了一半的内容。',
  },
  unavailable: {
    en: 'The process that answers was replaced meanwhile, as at a deploy. What was begun goes on by itself; send the same again under the same `Idempotency-Key`.',
    'zh-CN': '处理请求的进程已被替换，例如正在部署。已开始的工作会自行继续；请用同一个 `Idempotency-Key` 重发。',
  },
}
