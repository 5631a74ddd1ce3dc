import { ok } from '../domain/errors.ts'
import { flushCounters } from '../objects/counters.ts'
import { directoryObject, metricsObject } from '../objects/env.ts'
import type { MeasureRow } from '../store/metrics.ts'
import { prometheusText } from '../telemetry/prometheus.ts'
import { factory } from './context.ts'
import { nothing, route } from './route.ts'

/** Counters of the tenant for a monitoring system. */
export const metrics = factory.createApp().get(
  '/',
  route(
    {
      summary: 'Counters in the text format of Prometheus',
      id: 'getMetrics',
      scope: 'read',
      reads: nothing,
      answers: 'metrics',
    },
    async ({ c, tenant }) => {
      const flushed = flushCounters(c.env, tenant)
      c.executionCtx.waitUntil(flushed)
      await flushed
      const [rows, counts] = await Promise.all([
        metricsObject(c.env, tenant).read(),
        directoryObject(c.env, tenant).sessionCounts(),
      ])
      const sessions: MeasureRow[] = counts.map(({ status, count }) => ({
        name: 'yaa_sessions',
        labels: { status },
        value: count,
        buckets: null,
      }))
      const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
      return ok({ response: c.body(prometheusText([...rows, ...sessions]), 200, headers) })
    },
  ),
)
