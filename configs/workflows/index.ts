import extractRecords from './extract-records.json' with { type: 'json' }
import extractRecordsZh from './extract-records.zh-CN.json' with { type: 'json' }
import issueTriage from './issue-triage.json' with { type: 'json' }
import issueTriageZh from './issue-triage.zh-CN.json' with { type: 'json' }
import pageDigest from './page-digest.json' with { type: 'json' }
import pageDigestZh from './page-digest.zh-CN.json' with { type: 'json' }
import researchWithReview from './research-with-review.json' with { type: 'json' }
import researchWithReviewZh from './research-with-review.zh-CN.json' with { type: 'json' }
import translateAndCheck from './translate-and-check.json' with { type: 'json' }
import translateAndCheckZh from './translate-and-check.zh-CN.json' with { type: 'json' }

/** The workflows that come with the product, as their files have them, in each language. */
export const WORKFLOW_FILES: readonly { en: unknown; 'zh-CN': unknown }[] = [
  { en: extractRecords, 'zh-CN': extractRecordsZh },
  { en: issueTriage, 'zh-CN': issueTriageZh },
  { en: pageDigest, 'zh-CN': pageDigestZh },
  { en: researchWithReview, 'zh-CN': researchWithReviewZh },
  { en: translateAndCheck, 'zh-CN': translateAndCheckZh },
]
