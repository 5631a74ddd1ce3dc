import chatAssistantEn from './chat-assistant/SKILL.md'
import chatAssistantZh from './chat-assistant/SKILL.zh-CN.md'
import codeReviewEn from './code-review/SKILL.md'
import codeReviewZh from './code-review/SKILL.zh-CN.md'
import dataChartEn from './data-chart/SKILL.md'
import dataChartZh from './data-chart/SKILL.zh-CN.md'
import translateEn from './translate/SKILL.md'
import translateZh from './translate/SKILL.zh-CN.md'
import webResearchEn from './web-research/SKILL.md'
import webResearchZh from './web-research/SKILL.zh-CN.md'

/** The shipped skills by the names of their folders. A Worker cannot list folders, so a new one needs its lines here. */
export const SKILL_FILES: Readonly<Record<string, Readonly<Record<'zh-CN' | 'en', string>>>> = {
  'chat-assistant': { en: chatAssistantEn, 'zh-CN': chatAssistantZh },
  'code-review': { en: codeReviewEn, 'zh-CN': codeReviewZh },
  'data-chart': { en: dataChartEn, 'zh-CN': dataChartZh },
  translate: { en: translateEn, 'zh-CN': translateZh },
  'web-research': { en: webResearchEn, 'zh-CN': webResearchZh },
}
