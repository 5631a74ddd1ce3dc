/** What refusals say of the config and the settings, of connections, APIs, MCP servers, hooks, triggers, budgets and keys, in Chinese; as
 *  `PHRASES_ZH`. */
export const SET_UP_PHRASES_ZH: Readonly<Record<string, string>> = {
  // OpenAPI documents.
  'either url, the address of an OpenAPI document, or document, the document itself':
    '二者取一：url（OpenAPI 文档的地址）或 document（文档本身）',
  'not an OpenAPI document: it has no field `openapi`. Give an OpenAPI 3.0, 3.1 or 3.2 document in JSON or YAML, not the page that shows it':
    '不是 OpenAPI 文档：没有字段 `openapi`。请给出 JSON 或 YAML 的 OpenAPI 3.0、3.1 或 3.2 文档，而不是展示它的网页',
  'not valid JSON: check that it is whole': '不是有效的 JSON：请检查是否完整',
  'YAML of more than {}: give the same document as JSON, or a part of it':
    'YAML 超过 {}：请以 JSON 给出同一文档，或只给出其中一部分',
  'neither JSON nor YAML: {}': '既不是 JSON 也不是 YAML：{}',
  'Swagger 2.0 is not read. Convert the document to OpenAPI 3 first (editor.swagger.io does that, or `npx swagger2openapi FILE`) and give what comes out':
    '不支持 Swagger 2.0。请先转换为 OpenAPI 3（用 editor.swagger.io，或 `npx swagger2openapi FILE`），再给出转换的结果',
  'OpenAPI {} is not read: give a document of version 3.0, 3.1 or 3.2':
    '不支持 OpenAPI {}：请给出 3.0、3.1 或 3.2 版的文档',
  'it has no `paths`, so that there is nothing to call': '文档没有 `paths`，没有可调用的操作',
  'it has no operations, so that there is nothing to call': '文档没有操作，没有可调用的内容',
  'none of its {n} operations fits; patterns are an operationId such as {}, "GET /path" or "tag:NAME", with * and **':
    '它的 {} 个操作都不符合；模式可以是 operationId（如 {}）、"GET /path" 或 "tag:NAME"，可用 * 和 **',
  '{n} operations, {n} at most: {p}': '有 {} 个操作，最多 {} 个：{}',
  'name those that you need in include, such as ["tag:NAME", "GET /path/**"]':
    '请在 include 中写明所需的操作，如 ["tag:NAME", "GET /path/**"]',
  'none of its operations can be used: {p}': '它的操作都不能使用：{}',
  'its operations take {n} characters as tools, {n} at most: {p}': '它的操作作为工具需要 {} 个字符，最多 {} 个：{}',
  'a parameter that cannot be read, or that is in another document': '有参数无法读取，或位于另一份文档中',
  'more than {n} parameters': '参数超过 {} 个',
  'the path has {{}}, which is none of its parameters': '路径中的 {{}} 不是它的参数',
  'a request body that cannot be read, or that is in another document': '请求体无法读取，或位于另一份文档中',
  'a request body that it needs, and {} sends none': '它需要请求体，而 {} 不发送请求体',
  'its arguments are too many to be told to a model': '它的参数过多，无法告知模型',
  'a document of more than {}: give a part of it': '文档超过 {}：请只给出其中一部分',
  'the address answers with status {n}: give one at which anybody can read the document, or send it as document':
    '该地址返回状态 {}：请给出任何人都能读取文档的地址，或以 document 发送文档',
  'the document does not say where the API is (`servers`): give its address as base_url':
    '文档没有写明 API 的地址（`servers`）：请以 base_url 给出',
  'it was sent, and no address of it is known: send it anew with PATCH, as document':
    '文档是发送来的，没有它的地址：请用 PATCH 以 document 重新发送',
  'the document was sent, and is not kept: send it again with this change':
    '文档是发送来的，没有保存：请随此修改重新发送',
  'at least one pattern; leave it out for all operations': '至少一个模式；要全部操作则不写',
  'one of connection, bearer, basic, headers and query; null for an API that asks for none':
    'connection、bearer、basic、headers、query 至少其一；API 不需要时为 null',
  'one of connection, bearer, basic and the header authorization: a request has one authorization':
    'connection、bearer、basic 和请求头 authorization 只能取一：一个请求只有一个 authorization',
  'a header that a request may be given': '应为请求可以带有的请求头',
  'the value itself: *** stands for what is kept, and here nothing is': '请给出值本身：*** 表示已保存的值，而这里没有',
  'the address that auth is for: what a document at a url says may change, and auth is to go nowhere else':
    '应为 auth 所针对的地址：url 处的文档可能改变，而 auth 不能发往别处',
  'another name: mcp_servers has this one, and ids of tools begin with it':
    '请换一个名称：mcp_servers 已使用它，工具的 id 以它开头',
  'at most {n} APIs': '最多 {} 个 API',
  // Connections.
  '1 to 64 letters, digits, dots, _ and -': '应为 1 至 64 个字母、数字、点、_ 和 -',
  'printable ASCII': '应为可打印的 ASCII 字符',
  'a name without a colon': '应为不含冒号的名称',
  'a password without control characters': '密码不能含控制字符',
  'a value without control characters': '不能含控制字符',
  'a scope, without white space': '应为一个 scope，不含空白',
  'a name in small letters': '名称应为小写字母',
  'the page on which access is granted; none for client_credentials': '应为授权的页面；client_credentials 不能给出',
  'either secret or basic': 'secret 与 basic 二者取一',
  'either user or each_user: one of a user is of that one alone':
    'user 与 each_user 二者取一：某个用户的连接只属于该用户',
  'none: with oauth2 secret is that of the client': '不能给出：有 oauth2 时 secret 是客户端的密钥',
  'the secret of the client': '应为客户端的密钥',
  'none: the client speaks for itself': '不能给出：客户端代表它自己',
  'none: with each_user every user gives their own': '不能给出：有 each_user 时由各用户自己提供',
  'none is kept here: every user gives their own (POST /v1/connections with user)':
    '这里不保存：由各用户自己提供（POST /v1/connections，带 user）',
  'a connection with oauth2 whose grant is authorization_code': '应为带 oauth2 且 grant 为 authorization_code 的连接',
  'whose access it is to be: every user grants their own': '应写明是谁的授权：由各用户自己授权',
  'an https address, as a secret is sent there': '应为 https 地址：密钥会发往那里',
  '{}, as the connection of the tenant says that users give': '应为 {}：租户的连接如此规定由用户提供',
  'a connection for {}; this one is for {}': '应为针对 {} 的连接；这个针对 {}',
  'a connection of GET /v1/connections for {}: keep it first (POST /v1/connections)':
    '应为 GET /v1/connections 列出的、针对 {} 的连接：请先保存它（POST /v1/connections）',
  'a connection for {}: keep it first (POST /v1/connections)': '应为针对 {} 的连接：请先保存它（POST /v1/connections）',
  'a connection for {}; {} is for {}': '应为针对 {} 的连接；{} 针对 {}',
  // Settings and the config.
  'nothing: keep the key as a connection (POST /v1/connections), and name that in `connection`':
    '不能给出：请把密钥保存为连接（POST /v1/connections），并在 `connection` 中写明它',
  '{p} To reach it, name {} in web.allow_private_hosts.': '{}要访问它，请在 web.allow_private_hosts 中写明 {}。',
  'a host with its port, such as 127.0.0.1:9002': '应为带端口的主机，如 127.0.0.1:9002',
  'a word such as low, medium or high': '应为一个词，如 low、medium 或 high',
  'a field that is not one of {}': '字段不能是 {} 之一',
  'a header that the server does not set itself': '不能是服务器自己设置的请求头',
  'the name of a header': '应为请求头的名称',
  'at most {n} headers': '最多 {} 个请求头',
  'at most {n} values': '最多 {} 个值',
  'an IANA time zone such as Asia/Shanghai': '应为 IANA 时区，如 Asia/Shanghai',
  'a host or a path, or both': '应为主机或路径，或二者',
  'names of fields with dots between': '应为以点分隔的字段名',
  'names of fields with dots between, or one dot': '应为以点分隔的字段名，或一个点',
  'either key_header or key_parameter': 'key_header 与 key_parameter 二者取一',
  'a mapping for the provider custom, and for no other': '只有 custom 服务需要对应关系',
  'the id of an account, 32 hex digits': '应为账户的 id，32 位十六进制数字',
  'a header that says nothing else': '不能是另有含义的请求头',
  'account_id, and api_key_env or connection, for the provider cloudflare':
    'cloudflare 服务需要 account_id，以及 api_key_env 或 connection',
  'an absolute http or https address for the provider custom, and for no other':
    '只有 custom 服务需要 http 或 https 的绝对地址',
  'an account for the provider cloudflare, and for no other': '只有 cloudflare 服务需要账户',
  'an https address, or one of this machine, where a key is sent': '应为 https 地址或本机地址：密钥会发往那里',
  '{}, or a field of them such as web.allow_private_hosts': '应为 {}，或其中的字段，如 web.allow_private_hosts',
  'the name of an environment variable': '应为环境变量的名称',
  // MCP servers and hooks.
  'a value that a header can have': '应为请求头可以有的值',
  'the protocol sets this header itself: leave it out': '该请求头由协议自己设置：请不要给出',
  '1–64 characters without white space and none of / \\ ? # % < > "':
    '应为 1–64 个字符，不含空白，也不含 / \\ ? # % < > "',
  'left out: {}': '未采用：{}',
  'left out: another tool has this name': '未采用：另一个工具已使用该名称',
  'a tool that hooks are asked about: finish, ask and rethink only steer a run. Leave it out':
    '应为钩子会被询问的工具：finish、ask 和 rethink 只决定任务如何进行。请去掉它',
  'at least one tool; "*" for all': '至少一个工具；"*" 表示全部',
  'either secret_env, a variable that holds whsec_ and base64, or secret: requests are signed with it':
    '二者取一：secret_env（其值为 whsec_ 加 base64 的变量）或 secret：请求用它签名',
  'at most {n} hooks': '最多 {} 个钩子',
  'another tool is called {}': '已有名为 {} 的工具',
  '1–64 letters, digits, _ and -': '应为 1–64 个字母、数字、_ 和 -',
  // Triggers.
  'the signing secret that {} shows': '应为 {} 所显示的签名密钥',
  'at least one of {}': '至少其一：{}',
  'whsec_ and the base64 of {n} to {n} random bytes': '应为 whsec_ 加 {} 到 {} 个随机字节的 base64',
  'at least {n} ms': '至少 {} 毫秒',
  'at most {n} ms': '最多 {} 毫秒',
  'a time to come, within {n} ms': '应为将来 {} 毫秒之内的时间',
  'it never fires: there is no such time to come': '永远不会触发：将来没有这样的时间',
  'a text': '应为文本',
  // Budgets and keys.
  'max_total_tokens or max_cost, or both': 'max_total_tokens 与 max_cost 至少其一',
  'tokens or cost, or both': 'tokens 与 cost 至少其一',
  'a period that budgets.user bounds': '应为 budgets.user 所限制的周期',
  'nothing: budgets.user bounds no tokens in this period': '不能给出：budgets.user 在此周期不限制 Token',
  'nothing: budgets.user bounds no cost in this period': '不能给出：budgets.user 在此周期不限制费用',
  'one that budgets.user bounds: {}': '应为 budgets.user 所限制的：{}',
  'a budget of users, which there is none of: set budgets.user (PATCH /v1/settings, or the config file)':
    '没有用户的预算：请设置 budgets.user（PATCH /v1/settings 或配置文件）',
  '1–63 of a–z, 0–9, _ and -, the first a letter or digit': '应为 1–63 个 a–z、0–9、_ 和 -，以字母或数字开头',
  'a name that does not begin with "token "': '名称不能以 "token " 开头',
  'the SHA-256 of the key in hex': '应为密钥的 SHA-256，十六进制',
  'scopes or scopes_claim, so that a token may do something': '应给出 scopes 或 scopes_claim，Token 才有权限',
  'a domain such as example.cloudflareaccess.com': '应为域名，如 example.cloudflareaccess.com',
}

/** The same of refusals as a whole. */
export const SET_UP_DETAILS_ZH: Readonly<Record<string, string>> = {
  'The document cannot be used; see errors.': '文档不能使用；见 errors。',
  "The API is one of the server's config file; change it there.": '该 API 来自服务器的配置文件；请在那里修改。',
  'The settings do not fit; see errors.': '设置不符合要求；见 errors。',
  'The settings do not fit the config of this server; see errors.': '设置与此服务器的配置不符；见 errors。',
  'The settings name connections that do not fit; see errors.': '设置写明的连接不符合要求；见 errors。',
  'Users have no budget here; see errors.': '这里的用户没有预算；见 errors。',
  '{}: fixed by the config file of this server (locked). Leave it out here, or have it changed there.':
    '{}：由此服务器的配置文件固定（locked）。请不要在这里给出，或在那里修改。',
  '{}: set for the whole server by its own administrators, those of the tenant default. Leave it out here, or ask them.':
    '{}：由服务器自己的管理员（租户 default）为整个服务器设置。请不要在这里给出，或请他们设置。',
  'There is a connection {} already: change it, or delete it first.': '已有连接 {}：请修改它，或先删除。',
  'There is an API or MCP server {} already: change it, or delete it first.':
    '已有 API 或 MCP 服务 {}：请修改它，或先删除。',
  'There is a MCP server {} already: change it, or delete it first.': '已有 MCP 服务 {}：请修改它，或先删除。',
  'Keys are made for the own tenant only.': '只能为自己的租户创建密钥。',
  'This name is not served: use localhost, or set public_url in the config.':
    '不以该名称提供服务：请使用 localhost，或在配置中设置 public_url。',
  'Pages of this origin may not ask: cors.origins in the config names those that may.':
    '该来源的网页不能请求：配置中的 cors.origins 写明哪些可以。',
}
