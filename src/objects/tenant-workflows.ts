import type { WorkflowDefinition } from '../domain/workflow.ts'
import { makeWithAnswer, type StoredResponse } from '../store/claims.ts'
import {
  getWorkflow,
  listWorkflowNames,
  listWorkflows,
  listWorkflowVersions,
  putWorkflow,
  removeWorkflow,
} from '../store/workflows.ts'
import { TenantOpenApi } from './tenant-openapi.ts'

/** The workflows that a tenant wrote, with their versions. */
export class TenantWorkflows extends TenantOpenApi {
  workflow(name: string, version: number | null) {
    return getWorkflow(this.db, name, version)
  }

  workflows(after: string, limit: number) {
    return listWorkflows(this.db, after, limit)
  }

  workflowNames() {
    return listWorkflowNames(this.db)
  }

  workflowVersions(name: string) {
    return listWorkflowVersions(this.db, name)
  }

  putWorkflow(definition: WorkflowDefinition, mayReplace: boolean, done: StoredResponse | null = null) {
    return makeWithAnswer(this.db, done, () => putWorkflow(this.db, definition, mayReplace, Date.now()))
  }

  removeWorkflow(name: string) {
    return this.db.transaction(() => removeWorkflow(this.db, name))
  }
}
