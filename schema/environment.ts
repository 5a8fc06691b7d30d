/**
 * Names of the environment variables, shared by the stack that sets them and the functions that read them.
 * Endpoints are not among them: the SDK's own `AWS_ENDPOINT_URL*` variables serve for that.
 */
export const ENVIRONMENT = {
  controlTable: 'NIGHTJAR_CONTROL_TABLE',
  textTable: 'NIGHTJAR_TEXT_TABLE',
  triggersQueueUrl: 'NIGHTJAR_TRIGGERS_QUEUE_URL',
  workerFunction: 'NIGHTJAR_WORKER_FUNCTION',
  /** JSON of settings that replace the defaults for the whole deployment; validated by `schema/settings.ts`. */
  settings: 'NIGHTJAR_SETTINGS',
  /** How many pools there are, from the day the deployment is made: `schema/pool.ts`. */
  pools: 'NIGHTJAR_POOLS',
  /** `rules` or `stub`. */
  executor: 'NIGHTJAR_EXECUTOR',
  /** JSON of the stub executor's behaviour; only read when the executor is `stub`. */
  stub: 'NIGHTJAR_STUB',
} as const;

export type FunctionName =
  | 'ingest'
  | 'trigger'
  | 'reader'
  | 'curator'
  | 'eraser'
  | 'scheduler'
  | 'worker'
  | 'finalizer';

/** Which variables each function gets. Only ingest, the worker and the eraser know the text table (design section 4). */
export const FUNCTION_ENVIRONMENT: Record<FunctionName, readonly (keyof typeof ENVIRONMENT)[]> = {
  ingest: ['controlTable', 'textTable', 'settings', 'pools'],
  trigger: ['controlTable', 'triggersQueueUrl', 'settings', 'pools', 'executor'],
  reader: ['controlTable', 'settings', 'pools', 'executor'],
  curator: ['controlTable', 'settings', 'pools'],
  eraser: ['controlTable', 'textTable', 'settings', 'pools'],
  scheduler: ['controlTable', 'workerFunction', 'settings', 'pools', 'executor'],
  worker: ['controlTable', 'textTable', 'triggersQueueUrl', 'settings', 'pools', 'executor', 'stub'],
  finalizer: ['controlTable', 'triggersQueueUrl', 'settings', 'pools'],
};

/** CloudFormation parameters that carry deployment-wide values into the environment; each has a default. */
export const PARAMETERS = {
  settings: { name: 'Settings', default: '{}' },
  pools: { name: 'Pools', default: '1' },
  executor: { name: 'Executor', default: 'rules' },
  stub: { name: 'Stub', default: '{}' },
} as const;

/** The executors a deployment can name. */
export const EXECUTOR_NAMES = ['rules', 'stub'] as const;
export type ExecutorName = (typeof EXECUTOR_NAMES)[number];
