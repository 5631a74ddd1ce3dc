/** A service of models that a form knows the address of. `hosted`: it wants a key. */
interface KnownService {
  id: string
  name: string
  apiUrl: string
  hosted: boolean
  /** In which it tells its prices. */
  currency?: 'USD' | 'CNY'
  /** A model of it, as an example. */
  example: string
  /** Where its keys are made. */
  keysAt?: string
  /** How it differs from others. */
  quirks?: { max_tokens_field: 'max_completion_tokens'; temperature: false }
}

export const SERVICES: readonly KnownService[] = [
  {
    id: 'openai',
    name: 'OpenAI',
    apiUrl: 'https://api.openai.com/v1',
    hosted: true,
    currency: 'USD',
    example: 'gpt-6.1-terra',
    keysAt: 'https://platform.openai.com/api-keys',
    quirks: { max_tokens_field: 'max_completion_tokens', temperature: false },
  },
  {
    id: 'anthropic',
    name: 'Anthropic (Claude)',
    apiUrl: 'https://api.anthropic.com/v1',
    hosted: true,
    currency: 'USD',
    example: 'claude-fable-5-1',
    keysAt: 'https://console.anthropic.com/settings/keys',
  },
  {
    id: 'google',
    name: 'Google (Gemini)',
    apiUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    hosted: true,
    currency: 'USD',
    example: 'gemini-3.8-flash',
    keysAt: 'https://aistudio.google.com/apikey',
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    apiUrl: 'https://api.deepseek.com/v1',
    hosted: true,
    currency: 'CNY',
    example: 'deepseek-v4-pro',
    keysAt: 'https://platform.deepseek.com/api_keys',
  },
  {
    id: 'qwen',
    name: 'Qwen (DashScope)',
    apiUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    hosted: true,
    currency: 'CNY',
    example: 'qwen3-max',
    keysAt: 'https://bailian.console.aliyun.com',
  },
  {
    id: 'moonshot',
    name: 'Kimi (Moonshot)',
    apiUrl: 'https://api.moonshot.cn/v1',
    hosted: true,
    currency: 'CNY',
    example: 'kimi-k3',
    keysAt: 'https://platform.moonshot.cn/console/api-keys',
  },
  {
    id: 'zhipu',
    name: 'GLM (Zhipu)',
    apiUrl: 'https://open.bigmodel.cn/api/paas/v4',
    hosted: true,
    currency: 'CNY',
    example: 'glm-5.3',
    keysAt: 'https://open.bigmodel.cn/usercenter/apikeys',
  },
  {
    id: 'mistral',
    name: 'Mistral',
    apiUrl: 'https://api.mistral.ai/v1',
    hosted: true,
    currency: 'USD',
    example: 'mistral-large-4',
    keysAt: 'https://console.mistral.ai/api-keys',
  },
  {
    id: 'xai',
    name: 'xAI',
    apiUrl: 'https://api.x.ai/v1',
    hosted: true,
    currency: 'USD',
    example: 'grok-4.7',
    keysAt: 'https://console.x.ai',
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    apiUrl: 'https://openrouter.ai/api/v1',
    hosted: true,
    currency: 'USD',
    example: 'qwen/qwen3-max',
    keysAt: 'https://openrouter.ai/settings/keys',
  },
  { id: 'ollama', name: 'Ollama', apiUrl: 'http://127.0.0.1:11434/v1', hosted: false, example: 'qwen3:8b' },
]

/** None of those that are known: its address is typed in. */
export const OTHER_SERVICE = 'other'

/** Which of the services an address is of. */
export function knownServiceOf(apiUrl: string): string {
  const origin = URL.parse(apiUrl)?.origin
  return SERVICES.find((one) => URL.parse(one.apiUrl)?.origin === origin)?.id ?? OTHER_SERVICE
}
