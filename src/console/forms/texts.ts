import { language } from '../language.ts'

const EN = {
  needed: 'This field is required.',
  noNumber: 'Enter a number.',
  noWhole: 'Enter a whole number.',
  check: 'Please check the marked fields.',
  unsaved:
    'Not saved: the server cannot be reached. What you typed is still here. Save it again once the server is back.',
  more: 'More',
  add: 'Add a line',
  remove: 'Remove this line',
  name: 'Name',
  value: 'Value',
  kept: 'Stored; type to replace it',
  amount: 'Amount',
  currency: 'Currency',
  optional: 'optional',
  saved: 'Saved',
  lockedMark: 'Locked',
  showSecret: 'Show',
  hideSecret: 'Hide',
  atLeast: (number: string) => `At least ${number}.`,
  atMost: (number: string) => `At most ${number}.`,
  atMostLong: (number: string) => `Too long: at most ${number}.`,
  noJson: 'This is not valid JSON.',
  wrongLine: (number: number, why: string) => `Line ${number}: ${why}`,
  anItemALine: 'One item per line',
  asJson: 'Written as JSON',
  yesOrNo: { true: 'Yes', false: 'No' } as Record<string, string>,
  isPrivate: 'This address is on a private network. To allow it, first add its host and port under Settings → Web.',
  noConnection: 'There is no such connection for this address. Add it under Connections first.',
  /** What the server says of values, where it can be said better. */
  known: {
    'an absolute http or https address': 'Enter a whole address, such as https://example.com.',
    'an ISO 4217 code such as CNY': 'Choose a currency.',
    'a host with its port, such as 127.0.0.1:9002': 'Each line is a host with its port, such as 127.0.0.1:9002.',
    'either secret or basic': 'This field is required.',
    '1 to 64 letters, digits, dots, _ and -': 'Use up to 64 letters, digits, dots, hyphens and underscores.',
    'up to 64 letters, digits, - and _, the first a letter or digit':
      'Use up to 64 letters, digits, hyphens and underscores. The first must be a letter or a digit.',
  } as Record<string, string>,
}
type FormTexts = typeof EN

const ZH: FormTexts = {
  needed: '此项必填。',
  noNumber: '这里需要填写数字。',
  noWhole: '这里需要填写整数。',
  check: '请检查标出的字段。',
  unsaved: '没有保存：无法连接服务器。输入的内容还在，恢复连接后请再保存一次。',
  more: '更多',
  add: '添加一行',
  remove: '删除此行',
  name: '名称',
  value: '值',
  kept: '已保存；输入新值即可替换',
  amount: '金额',
  currency: '币种',
  optional: '可选',
  saved: '已保存',
  lockedMark: '已锁定',
  showSecret: '显示',
  hideSecret: '隐藏',
  atLeast: (number) => `至少为 ${number}。`,
  atMost: (number) => `最多为 ${number}。`,
  atMostLong: (number) => `太长：最多 ${number}。`,
  noJson: '不是有效的 JSON。',
  wrongLine: (number, why) => `第 ${number} 行：${why}`,
  anItemALine: '每行一项',
  asJson: '用 JSON 填写',
  yesOrNo: { true: '是', false: '否' },
  isPrivate: '此地址在内网。如需访问，请先在“参数 → 网络”中添加它的主机和端口。',
  noConnection: '没有用于此地址的这个连接，请先在“连接”中添加。',
  known: {
    'an absolute http or https address': '需要完整的地址，例如 https://example.com。',
    'an ISO 4217 code such as CNY': '请选择币种。',
    'a host with its port, such as 127.0.0.1:9002': '每行一个主机和端口，例如 127.0.0.1:9002。',
    '应为 http 或 https 的绝对地址': '需要完整的地址，例如 https://example.com。',
    '应给出 secret 或 basic 之一': '此项必填。',
    'up to 64 letters, digits, - and _, the first a letter or digit':
      '最多 64 个字母、数字、连字符或下划线，以字母或数字开头。',
    '应为 ISO 4217 代码，如 CNY': '请选择币种。',
    '应为带端口的主机，如 127.0.0.1:9002': '每行一个主机和端口，例如 127.0.0.1:9002。',
  },
}

/** What forms say, in the language of the page. */
export const formTexts = (): FormTexts => (language.value === 'en' ? EN : ZH)
