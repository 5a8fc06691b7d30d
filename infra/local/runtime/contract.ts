/** What the runtime takes and what it offers. */
import type { DynamoDb } from '../dynamodb/engine.ts';
import type { SqsEngine } from '../sqs/engine.ts';
import type { QueueDepth } from '../sqs/queue.ts';
import type { RunningInvocation } from './environment.ts';
import type { FaultOptions } from './fault-options.ts';
import type { FaultControl } from './faults.ts';
import type { Authorize } from './http-api.ts';
import type { Observation, RequestCounts } from './request-counts.ts';
import type { Template } from './template.ts';

export interface RuntimeOptions {
  /** The synthesized template, parsed. */
  readonly template: Template;
  /** Values of the template's parameters; the others keep their defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Keeps tables, messages and accepted events across restarts; without it everything lives in memory. */
  readonly dataDir?: string;
  /** The repository's root: each function's `local:entry` is relative to it. */
  readonly root: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Milliseconds since the epoch, for the services; handlers keep the machine's clock. */
  readonly now?: () => number;
  /** Fires every schedule once when the runtime is up. */
  readonly tickAtStart?: boolean;
  /** `manual`: schedules fire by `tick()` only. Default `automatic`. */
  readonly schedules?: 'automatic' | 'manual';
  /** Gets every line a function writes; `runtime` is the runtime itself. Lines are not printed. */
  readonly onLog?: (functionName: string, line: string) => void;
  /** Sees each request to DynamoDB, SQS and Lambda after its answer is decided. */
  readonly onRequest?: (observation: Observation) => void;
  /** Decides about requests on routes with an authorization type; default: everybody is a local IAM user. */
  readonly authorize?: Authorize;
  /** At most so many execution environments: for each function, or by function name. Default 20. */
  readonly environmentsMax?: number | Readonly<Record<string, number>>;
  /** How long to wait before another attempt, counted from 1. Defaults are AWS's: a minute each for events, 1 to 30 s for streams. */
  readonly retryDelayMs?: (edge: 'event' | 'stream', attempt: number) => number;
  /** What goes wrong from the start; `Runtime.faults` changes it later. Default: nothing. */
  readonly faults?: FaultOptions;
}

export interface Runtime {
  /** Base of the HTTP API, and the endpoint of the services for SDK clients outside. */
  readonly url: string;
  /** Closes everything within two seconds, also in mid-invocation. What a data folder keeps goes on at the next start. */
  readonly stop: () => Promise<void>;
  /** Fires every schedule for this time (default now); resolves when the invoked functions have ended. */
  readonly tick: (timeMs?: number) => Promise<void>;
  /**
   * Kills environments of a function: without `match` all of them, else those whose running invocation matches. Returns
   * how many invocations were under way in them; each fails as a crashed function does.
   */
  readonly terminate: (functionName: string, match?: (invocation: RunningInvocation) => boolean) => number;
  /** Starts environments until `count` stand ready. */
  readonly warm: (functionName: string, count: number) => Promise<void>;
  /**
   * Resolves when nothing goes on by itself any more: no message on a queue with a consumer, no stream record pending,
   * no event waiting or running, no function running.
   */
  readonly idle: () => Promise<void>;
  /** Depth of every queue by its logical id, dead-letter queues included. */
  readonly queues: Readonly<Record<string, QueueDepth>>;
  /** What was asked so far. */
  readonly requests: RequestCounts;
  readonly resetRequests: () => void;
  /** Names of the functions. */
  readonly functions: readonly string[];
  /** Names of the tables by their logical id. */
  readonly tables: Readonly<Record<string, string>>;
  readonly dynamodb: DynamoDb;
  readonly sqs: SqsEngine;
  readonly faults: FaultControl;
}
