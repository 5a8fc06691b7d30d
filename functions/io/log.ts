/**
 * One JSON line per fact, and metrics as lines of the embedded metric format: no client, no call. No line and no metric
 * carries text of a source; no metric carries a scope.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { FunctionName } from '../../schema/environment.ts';
import { METRICS, METRICS_NAMESPACE } from '../../schema/metrics.ts';
import type { Log } from './ports.ts';

export interface FlushableLog extends Log {
  /** Writes the metrics gathered since the last flush: called once at the end of each invocation. */
  flush(): void;
}

export function createLog(name: FunctionName): FlushableLog {
  const logger = new Logger({ serviceName: name });
  // The service dimension comes from POWERTOOLS_SERVICE_NAME, which the stack sets per environment.
  const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
  return {
    info: (message, fields = {}) => logger.info(message, fields),
    warn: (message, fields = {}) => logger.warn(message, fields),
    error: (message, error, fields = {}) =>
      logger.error(message, { ...fields, error: error instanceof Error ? error : new Error(String(error)) }),
    count: (metric, value) => {
      if (value > 0) metrics.addMetric(METRICS[metric], MetricUnit.Count, value);
    },
    flush: () => {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
}
