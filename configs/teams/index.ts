import debate from './debate.json' with { type: 'json' }
import research from './research.json' with { type: 'json' }
import software from './software.json' with { type: 'json' }
import argueAgainstEn from './prompts/en/argue-against.md'
import argueForEn from './prompts/en/argue-for.md'
import findSourcesEn from './prompts/en/find-sources.md'
import judgeEn from './prompts/en/judge.md'
import readSourcesEn from './prompts/en/read-sources.md'
import reviewReportEn from './prompts/en/review-report.md'
import writeCodeEn from './prompts/en/write-code.md'
import writeDesignEn from './prompts/en/write-design.md'
import writePrdEn from './prompts/en/write-prd.md'
import writeReportEn from './prompts/en/write-report.md'
import argueAgainstZh from './prompts/zh-CN/argue-against.md'
import argueForZh from './prompts/zh-CN/argue-for.md'
import findSourcesZh from './prompts/zh-CN/find-sources.md'
import judgeZh from './prompts/zh-CN/judge.md'
import readSourcesZh from './prompts/zh-CN/read-sources.md'
import reviewReportZh from './prompts/zh-CN/review-report.md'
import writeCodeZh from './prompts/zh-CN/write-code.md'
import writeDesignZh from './prompts/zh-CN/write-design.md'
import writePrdZh from './prompts/zh-CN/write-prd.md'
import writeReportZh from './prompts/zh-CN/write-report.md'

/** What the actions of the shipped teams are told to do, by the name in their files. */
const PROMPTS = {
  'argue-against': { 'zh-CN': argueAgainstZh, en: argueAgainstEn },
  'argue-for': { 'zh-CN': argueForZh, en: argueForEn },
  'find-sources': { 'zh-CN': findSourcesZh, en: findSourcesEn },
  judge: { 'zh-CN': judgeZh, en: judgeEn },
  'read-sources': { 'zh-CN': readSourcesZh, en: readSourcesEn },
  'review-report': { 'zh-CN': reviewReportZh, en: reviewReportEn },
  'write-code': { 'zh-CN': writeCodeZh, en: writeCodeEn },
  'write-design': { 'zh-CN': writeDesignZh, en: writeDesignEn },
  'write-prd': { 'zh-CN': writePrdZh, en: writePrdEn },
  'write-report': { 'zh-CN': writeReportZh, en: writeReportEn },
} as const

/** The shipped teams, the default one first. A Worker cannot list folders, so a new one needs its lines here. */
export const TEAM_FILES = [software, research, debate].map((team) => ({ ...team, prompts: PROMPTS }))
