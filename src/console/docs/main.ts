import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'

const TITLES = { zh: 'yaa 接口文档', en: 'yaa API' } as const
const CHOICES = { zh: { servers: '服务器', other: '选择' }, en: { servers: 'Server', other: 'Choose' } } as const

const language = navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
document.title = TITLES[language]
document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'

const domNode = document.querySelector('#docs')
if (!domNode) throw new Error('the page has no place for the document')

// Its choices have no labels, or empty ones.
new MutationObserver(() => {
  const { servers, other } = CHOICES[language]
  for (const choice of domNode.querySelectorAll('select:not([aria-label])'))
    choice.setAttribute('aria-label', choice.id === 'servers' ? servers : other)
}).observe(domNode, { childList: true, subtree: true })

// No key is kept: it is asked for on each visit. No other host is asked for anything.
SwaggerUI({
  url: '/openapi.json',
  domNode,
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: false,
  queryConfigEnabled: false,
})
