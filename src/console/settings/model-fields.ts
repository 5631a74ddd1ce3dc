import { language } from '../language.ts'

/** What the fields of a model are called, where it is written and where its versions are told. */
const EN = {
  api_url: 'Address',
  model: 'Model',
  connection: 'API key',
  price: 'Price',
  protocol: 'Tools are called',
  vision: 'Pictures',
  max_tokens: 'Longest answer',
  context_tokens: 'Context',
  temperature: 'Temperature',
  timeout_ms: 'Longest wait',
}
type ModelFields = typeof EN

const ZH: ModelFields = {
  api_url: '地址',
  model: '模型',
  connection: 'API 密钥',
  price: '价格',
  protocol: '调用工具的方式',
  vision: '图片',
  max_tokens: '回答最长',
  context_tokens: '上下文',
  temperature: '温度',
  timeout_ms: '最长等待',
}

export const modelFieldTexts = (): ModelFields => (language.value === 'en' ? EN : ZH)
