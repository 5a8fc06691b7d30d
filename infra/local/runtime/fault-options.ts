/**
 * What can be made to go wrong on this machine, as data: an option of `startRuntime`, and a JSON file for
 * `npm run serve -- --faults`. A share is a probability, 0 to 1.
 */
import * as z from 'zod';

/** Half an hour: above every wait of the design, below what a person would sit through. */
const WAIT_MAX_MS = 1_800_000;
const share = z.number().min(0).max(1);
const waitMs = z.int().min(0).max(WAIT_MAX_MS);
const most = z.int().min(0);

const messageFaultsSchema = z.strictObject({
  /** Share of the batches (or events) that are delivered twice, the second time whatever became of the first. */
  twice: share.optional(),
  /** Share of the messages that are never delivered: gone, with no trace in a dead-letter queue. */
  never: share.optional(),
  /** Each delivery waits a random time up to this, so that later ones overtake it. */
  lateMs: waitMs.optional(),
  /** The messages of a batch come in any order, also the records of one key. An event has no batch: make it late. */
  outOfOrder: z.boolean().optional(),
});

/**
 * `throttled`: refused before anything happens, as the service does when it is too much for it. `failed`: a 500 before
 * anything happens. `failedAfter`: a 500 although the request was carried out. `replyLost`: carried out, and the
 * connection is cut, so that the SDK sends the request again and meets its own write.
 */
const requestFaultSchema = z.strictObject({
  kind: z.enum(['throttled', 'failed', 'failedAfter', 'replyLost']),
  share,
  /** At most so many times; absent: without end. */
  most: most.optional(),
  /** Only requests to this service; absent: to any. */
  service: z.enum(['dynamodb', 'sqs', 'lambda']).optional(),
  /** Only these operations, such as `UpdateItem`. */
  operations: z.array(z.string()).optional(),
  /** Only requests of these functions; absent: of anybody, clients outside included. */
  functions: z.array(z.string()).optional(),
});

const killSchema = z.strictObject({
  /** The function whose environment is killed in mid-invocation. */
  function: z.string(),
  /** Share of its invocations. */
  share,
  /** The kill comes a random time up to this after the invocation's start; an invocation that ends before lives. */
  withinMs: waitMs,
  most: most.optional(),
});

export const faultOptionsSchema = z.strictObject({
  /** Repeats the same draws; default 1. Threads still race: the n-th draw of a kind is repeated, not who makes it. */
  seed: z.int().optional(),
  /** Messages of SQS queues, of the tables' streams, and asynchronous invocations (ticks included). */
  messages: z
    .strictObject({
      queue: messageFaultsSchema.optional(),
      stream: messageFaultsSchema.optional(),
      event: messageFaultsSchema.optional(),
    })
    .optional(),
  /** Queries of an index answer from a copy that is so much behind the table. */
  indexesLateMs: waitMs.optional(),
  /** Tried in order; the first rule that fits and draws decides. */
  requests: z.array(requestFaultSchema).optional(),
  kills: z.array(killSchema).optional(),
  /** By function: so many milliseconds its clock is ahead of the machine's (behind, when negative). */
  clocks: z.record(z.string(), z.int()).optional(),
});

export type FaultOptions = z.infer<typeof faultOptionsSchema>;
export type MessageFaults = z.infer<typeof messageFaultsSchema>;
export type RequestFault = z.infer<typeof requestFaultSchema>;
export type RequestFaultKind = RequestFault['kind'];

/** Where messages are delivered. */
export type Edge = 'queue' | 'stream' | 'event';
export const EDGES = ['queue', 'stream', 'event'] as const satisfies readonly Edge[];
