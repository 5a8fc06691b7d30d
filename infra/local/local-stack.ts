/** The whole stack on this machine, as the commands open it: template, lock on the store, runtime, observer. */
import path from 'node:path';
import { existsSync } from 'node:fs';
import { type ExecutorName, PARAMETERS } from '../../schema/environment.ts';
import type { SettingOverrides } from '../../schema/settings.ts';
import { PassObserver } from './observer.ts';
import type { Observation, RequestCounts } from './runtime/request-counts.ts';
import type { Runtime } from './runtime/contract.ts';
import type { FaultOptions } from './runtime/fault-options.ts';
import type { Shutdown } from './shutdown.ts';
import { lockStore } from './store-lock.ts';
import { countStore, type StoreCount } from './store-count.ts';
import { loadTemplate, ROOT } from './template-cache.ts';

export interface StackOptions {
  readonly settings: SettingOverrides;
  readonly executor: ExecutorName;
  /** How the stub behaves; see `functions/worker/executor/stub.ts`. */
  readonly stub?: object;
  /** Absent: everything is kept in memory and gone with the process. */
  readonly dataDir?: string | undefined;
  readonly port?: number;
  /** What goes wrong on purpose. */
  readonly faults?: FaultOptions | undefined;
  /** `manual`: the schedule never fires, so that nothing begins before it is asked for. Default: every minute. */
  readonly schedules?: 'automatic' | 'manual';
  /** Sees every request besides the observer. */
  readonly onRequest?: (observation: Observation) => void;
}

export interface LocalStack {
  readonly url: string;
  readonly observer: PassObserver;
  /** Requests and capacity units so far. */
  readonly requests: () => RequestCounts;
  /** Reads the scope's rows; see `countStore`. */
  readonly count: (scope: string, sources: ReadonlySet<string>) => StoreCount;
  /** The last lines that functions wrote: what to show when something went wrong. */
  readonly logTail: readonly string[];
  readonly runtime: Runtime;
}

const CONTROL_TABLE = /^StorageControl/;
const LOG_LINES_KEPT = 50;

/**
 * Opens the stack; `shutdown` closes it. Throws a UsageError when the store is in use, and what `startRuntime` throws,
 * such as EADDRINUSE.
 */
export async function openStack(
  options: StackOptions,
  shutdown: Shutdown,
  say: (line: string) => void,
): Promise<LocalStack> {
  const { dataDir } = options;
  if (dataDir !== undefined) shutdown.register(lockStore(dataDir, Date.now()));
  const isOld = dataDir !== undefined && existsSync(path.join(dataDir, 'tables.jsonl'));
  const template = await loadTemplate({
    onSynthesis: () =>
      say('Synthesizing the stack from infra/ (once; kept in .nightjar until something in it changes).'),
    onChild: (stop) => shutdown.register(stop),
  });
  const observer = new PassObserver();
  const logTail: string[] = [];
  // Loaded late: the first line is out before this, the largest part, is read.
  const { startRuntime } = await import('./runtime/runtime.ts');
  const runtime = await startRuntime({
    template,
    root: ROOT,
    parameters: {
      [PARAMETERS.settings.name]: JSON.stringify(options.settings),
      [PARAMETERS.executor.name]: options.executor,
      [PARAMETERS.stub.name]: JSON.stringify(options.stub ?? {}),
    },
    // What an earlier run left is looked at now and not only at the next full minute.
    tickAtStart: isOld,
    onLog: (functionName, line) => {
      logTail.push(`${functionName}: ${line}`);
      if (logTail.length > LOG_LINES_KEPT) logTail.shift();
    },
    onRequest: (observation) => {
      observer.see(observation);
      options.onRequest?.(observation);
    },
    ...(options.schedules !== undefined && { schedules: options.schedules }),
    ...(dataDir !== undefined && { dataDir }),
    ...(options.port !== undefined && { port: options.port }),
    ...(options.faults !== undefined && { faults: options.faults }),
  });
  shutdown.register(() => runtime.stop());
  const control = Object.entries(runtime.tables).find(([logicalId]) => CONTROL_TABLE.test(logicalId))?.[1];
  if (control === undefined)
    throw new Error(`The template has no control table, only ${Object.keys(runtime.tables).join(', ')}.`);
  const rows = () => runtime.dynamodb.items(control);
  observer.seed(rows());
  return {
    url: runtime.url,
    observer,
    requests: () => runtime.requests,
    count: (scope, sources) => countStore(rows(), scope, sources),
    logTail,
    runtime,
  };
}
