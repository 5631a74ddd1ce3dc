import { MODULES } from '../../../src/orchestrators/all.ts'
import { createRegistry } from '../../../src/orchestrators/registry.ts'
import { checklist } from './index.ts'

/** The product's orchestrators, and one more: its line. */
export const WITH_CHECKLIST = createRegistry([...MODULES, checklist])
