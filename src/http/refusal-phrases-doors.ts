/** What is said in Chinese of the places of requests that clients of other protocols make. */
export const DOOR_PHRASES_ZH: Readonly<Record<string, string>> = {
  'a message of the user with words or files at the end, or one of the agent with answers':
    '末尾应为带文字或文件的用户消息，或带有回答的智能体消息',
  'the id of the chat, as useChat sends it': '应为 useChat 发送的聊天 id',
  '{approved, editedArgs, feedback}, or {answer} to a question':
    '应为 {approved, editedArgs, feedback}；对问题则为 {answer}',
  'a message of role user at the end, with words or parts': '末尾应为 role 为 user 的消息，带文字或部分',
  'an answer to {}': '应有对 {} 的回答',
  'the words': '应有文字',
  'where its bytes are': '应说明其字节在何处',
  'a nextPageToken of an earlier page': '应为之前某页的 nextPageToken',
  'the context of the task, or none': '应为该任务的 context，或不填',
  'an http or https address': '应为 http 或 https 地址',
  'ROLE_USER: what the agent said is kept here': '应为 ROLE_USER：智能体说过的话保存在这里',
  'words, a file or data': '应有文字、文件或数据',
  'the task whose pending item is meant, or its contextId': '应给出待决事项所属的任务，或其 contextId',
  'the name of a scheme, such as Bearer': '应为认证方案的名称，如 Bearer',
  'printable ASCII: it goes into a header': '应为可打印的 ASCII：它会放入请求头',
  'the bytes in base64, or a data: URL: this server keeps no files by id':
    '应为 base64 的字节或 data: URL：本服务器不按 id 保存文件',
  'the bytes in base64 or a data: URL, or file_url: this server keeps no files by id':
    '应为 base64 的字节或 data: URL，或 file_url：本服务器不按 id 保存文件',
  'text while something else waits: images and files stand with the last result':
    '还有其他事项等待时应为文字：图片和文件应随最后一个结果提交',
  'a text, or a list of parts': '应为文字，或部分的列表',
  'a name that an address can hold': '名称应能写入地址',
  'a text, or a list of items': '应为文字，或条目的列表',
  'an id, or an object with one': '应为 id，或含 id 的对象',
  'function: other kinds of tools are those of OpenAI': '应为 function：其他种类的工具属于 OpenAI',
  'function_call_output: tools of a caller are functions': '应为 function_call_output：调用方的工具是函数',
  'none or auto: the agent has tools of its own and decides itself which one comes next, so that no call can be forced':
    '应为 none 或 auto：智能体有自己的工具，自行决定下一步用哪个，因此不能强制调用',
  '1: a run has one answer': '应为 1：一次运行只有一个答案',
  'false: an answer is made by several calls, so it has none': '应为 false：答案由多次调用得出，因此没有',
  'nothing: an answer has no log probabilities': '应不填：答案没有对数概率',
  'nothing: templates of prompts are kept by OpenAI': '应不填：提示词模板保存在 OpenAI',
  'text: answers are texts': '应为 text：答案是文字',
  'the id of a call in the message before it': '应为其前一条消息中某次调用的 id',
  'the id of a call before it, or previous_response_id; {} is none':
    '应为在它之前的调用的 id，或给出 previous_response_id；{} 不是',
  'a message of role user or tool at the end, with words': '末尾应为 role 为 user 或 tool 的消息，带文字',
  'an item of a response here; {} is none': '应为这里某个响应的条目；{} 不是',
  'items of responses that are kept here': '应为保存在这里的响应的条目',
  'the id of a response that is kept here': '应为保存在这里的响应的 id',
  'a message of the user, to which the calls are': '应有这些调用所属的用户消息',
  'nothing beside previous_response_id: each names the thread': '不能与 previous_response_id 同时给出：两者都指明线程',
  'false where store is false: nobody could ask for the answer': 'store 为 false 时应为 false：否则无人能取得答案',
  'a message of the user, function_call_output or mcp_approval_response at the end':
    '末尾应为用户消息、function_call_output 或 mcp_approval_response',
  'nothing without stream=true': '没有 stream=true 时应不填',
  'user, assistant, system or developer': '应为 user、assistant、system 或 developer',
  'the name of the tool': '应为工具的名称',
  'the id of the call': '应为调用的 id',
  'the id of the item that asks': '应为提问条目的 id',
  'true or false': '应为 true 或 false',
}
