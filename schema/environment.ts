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
  /** `rules` or `stub`. */
  executor: 'NIGHTJAR_EXECUTOR',
  /** JSON of the stub executor's behaviour; only read when the executor is `stub`. */
  stub: 'NIGHTJAR_STUB',
} as const;

export type FunctionName = 'ingest' | 'trigger' | 'reader' | 'curator' | 'scheduler' | 'worker' | 'finalizer';

/** Which variables each function gets. Only ingest and the worker know the text table (design section 4). */
export const FUNCTION_ENVIRONMENT: Record<FunctionName, readonly (keyof typeof ENVIRONMENT)[]> = {
  ingest: ['controlTable', 'textTable', 'settings'],
  trigger: ['controlTable', 'triggersQueueUrl', 'settings', 'executor'],
  reader: ['controlTable', 'settings', 'executor'],
  curator: ['controlTable'],
  scheduler: ['controlTable', 'workerFunction', 'settings', 'executor'],
  worker: ['controlTable', 'textTable', 'triggersQueueUrl', 'settings', 'executor', 'stub'],
  finalizer: ['controlTable', 'triggersQueueUrl', 'settings'],
};

/** CloudFormation parameters that carry deployment-wide values into the environment; each has a default. */
export const PARAMETERS = {
  settings: { name: 'Settings', default: '{}' },
  executor: { name: 'Executor', default: 'rules' },
  stub: { name: 'Stub', default: '{}' },
} as const;

/** The executors a deployment can name. */
export const EXECUTOR_NAMES = ['rules', 'stub'] as const;
export type ExecutorName = (typeof EXECUTOR_NAMES)[number];
