/** A bound that a value does not keep to. `isOfLength`: its length does not. */
interface Bound {
  isOfLength: boolean
  isMost: boolean
  value: number
}

/** What the server means where it says, in English or in Chinese, that a value does not fit; null: something else. */
export function meantBy(message: string): Bound | 'needed' | 'noNumber' | 'noWhole' | 'isPrivate' | null {
  if (/^Invalid input: .*received undefined$|^类型不符：.*收到的是空/.test(message)) return 'needed'
  if (/^Invalid input: expected int\b|^类型不符：应为整数/.test(message)) return 'noWhole'
  if (/^Invalid input: expected number|^类型不符：应为数字/.test(message)) return 'noNumber'
  if (/^The address leads to this machine|^该地址指向本机/.test(message)) return 'isPrivate'
  const en = /^Too (?:small|big): expected (number|int|string|array)\S*.*?([<>])=?(-?[\d.]+)/.exec(message)
  if (en) return { isOfLength: /string|array/.test(en[1] ?? ''), isMost: en[2] === '<', value: Number(en[3]) }
  const zh = /^过([大小长短多少])：.*?(-?[\d.]+)(?: 个字符| 项)?$/.exec(message)
  if (!zh) return null
  return { isOfLength: /[长短多少]/.test(zh[1] ?? ''), isMost: /[大长多]/.test(zh[1] ?? ''), value: Number(zh[2]) }
}
