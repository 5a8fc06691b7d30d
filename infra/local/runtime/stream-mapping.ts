/**
 * A stream event source mapping: reads a table's stream from the oldest record kept, filters, and delivers batches.
 *
 * Records of one partition key stay in order: each key belongs to one of `ParallelizationFactor` lanes, and a lane has
 * one batch under way at a time. A record is acknowledged when all before it are done with: handled, filtered out, or
 * given up to the failure destination. What is not acknowledged is delivered again after a restart.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFailureDestination, type SendToDestination } from './destination.ts';
import type { Delivery } from './delivery.ts';
import { compileFilters } from './filter-pattern.ts';
import type { Invoker } from './function-pool.ts';
import { readNumber, reportsItemFailures } from './properties.ts';
import { deliverBatch, type BatchRules } from './stream-batch.ts';
import type { StreamRecord, StreamSource } from './table-stream.ts';
import type { Resource } from './template.ts';

export interface StreamMappingOptions {
  readonly mapping: Resource;
  readonly table: string;
  /** The table's partition key attribute. */
  readonly partitionKey: string;
  readonly streamArn: string;
  readonly source: StreamSource;
  /** Everything up to this sequence number is done with, as far as this mapping is concerned. */
  readonly acknowledge: (sequenceNumber: string) => void;
  readonly pool: Invoker;
  readonly delivery: Delivery;
  readonly now: () => number;
  readonly sendToDestination: SendToDestination;
  readonly retryDelayMs: (attempt: number) => number;
  readonly onSettled: () => void;
}

/** A record that was read and not yet acknowledged. */
interface Slot {
  readonly record: StreamRecord;
  isDone: boolean;
}

interface Lane {
  readonly waiting: Slot[];
  isRunning: boolean;
}

const BATCH_SIZE = 100;
/** How far reading may run ahead of the oldest record under way; bounds memory when one lane is stuck. */
const READ_AHEAD_MAX = 1000;

export class StreamMapping {
  readonly #options: StreamMappingOptions;
  readonly #passes: (record: StreamRecord) => boolean;
  readonly #batchSize: number;
  readonly #rules: BatchRules;
  readonly #lanes: Lane[];
  readonly #stopListening: () => void;
  /** Records read and not acknowledged, oldest first. */
  #slots: Slot[] = [];
  #nextIndex = 0;
  #isReadPlanned = false;
  #repeatCount = 0;
  #isStopped = false;

  constructor(options: StreamMappingOptions) {
    const { mapping, source, table } = options;
    const { properties, logicalId } = mapping;
    this.#options = options;
    if (properties.StartingPosition !== 'TRIM_HORIZON') {
      throw new Error(
        `${logicalId} starts at ${JSON.stringify(properties.StartingPosition)}; only TRIM_HORIZON is emulated.`,
      );
    }
    const filters = (properties.FilterCriteria as { Filters?: { Pattern: string }[] } | undefined)?.Filters ?? [];
    this.#passes = compileFilters(filters.map(({ Pattern }) => Pattern));
    this.#batchSize = readNumber(mapping, 'BatchSize', BATCH_SIZE);
    this.#rules = readRules(mapping);
    const laneCount = readNumber(mapping, 'ParallelizationFactor', 1);
    this.#lanes = Array.from({ length: laneCount }, () => ({ waiting: [], isRunning: false }));
    this.#stopListening = source.onStream(table, () => this.#planRead());
    this.#planRead();
  }

  get isBusy(): boolean {
    return this.#slots.length > 0 || this.#isReadPlanned || this.#repeatCount > 0;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopListening();
  }

  /** One turn later, so that what is written together is delivered together. */
  #planRead(): void {
    if (this.#isReadPlanned || this.#isStopped) return;
    this.#isReadPlanned = true;
    setImmediate(() => {
      this.#isReadPlanned = false;
      if (!this.#isStopped) this.#read();
    });
  }

  #read(): void {
    const { source, table, onSettled } = this.#options;
    const room = READ_AHEAD_MAX - this.#slots.length;
    if (room <= 0) return;
    const { records, nextIndex } = source.readStream(table, this.#nextIndex, room);
    this.#nextIndex = nextIndex;
    for (const record of records) {
      const slot: Slot = { record, isDone: !this.#passes(record) || this.#options.delivery.isLost() };
      this.#slots.push(slot);
      if (!slot.isDone) this.#laneOf(record).waiting.push(slot);
    }
    this.#acknowledgeDone();
    for (const lane of this.#lanes) void this.#runLane(lane);
    if (this.#slots.length === 0) onSettled();
  }

  async #runLane(lane: Lane): Promise<void> {
    if (lane.isRunning) return;
    lane.isRunning = true;
    while (lane.waiting.length > 0 && !this.#isStopped) {
      const batch = lane.waiting.splice(0, this.#batchSize);
      const records = batch.map(({ record }) => record);
      await deliverBatch({ ...this.#options, rules: this.#rules, isStopped: () => this.#isStopped }, records);
      if (this.#isStopped) break;
      for (const slot of batch) slot.isDone = true;
      this.#acknowledgeDone();
      this.#planRead();
      if (this.#options.delivery.times() > 1) void this.#repeat(records);
    }
    lane.isRunning = false;
    this.#options.onSettled();
  }

  /** A second delivery of a batch that was handled, whatever it answers; the lane does not wait for it. */
  async #repeat(records: readonly StreamRecord[]): Promise<void> {
    this.#repeatCount += 1;
    const { delivery, pool } = this.#options;
    await delivery.wait();
    if (!this.#isStopped) {
      const event = JSON.stringify({ Records: delivery.arrange(records) });
      await pool.invoke({ requestId: randomUUID(), event });
    }
    this.#repeatCount -= 1;
    this.#options.onSettled();
  }

  #acknowledgeDone(): void {
    let count = 0;
    while (this.#slots[count]?.isDone === true) count += 1;
    if (count === 0) return;
    const last = this.#slots[count - 1];
    this.#slots = this.#slots.slice(count);
    if (last !== undefined) this.#options.acknowledge(last.record.dynamodb.SequenceNumber);
  }

  #laneOf(record: StreamRecord): Lane {
    const key = JSON.stringify(record.dynamodb.Keys[this.#options.partitionKey]);
    const position = createHash('md5').update(key).digest().readUInt32BE() % this.#lanes.length;
    return this.#lanes[position] as Lane;
  }
}

function readRules(mapping: Resource): BatchRules {
  const retriesMax = readNumber(mapping, 'MaximumRetryAttempts', -1);
  const recordAgeMaxS = readNumber(mapping, 'MaximumRecordAgeInSeconds', -1);
  return {
    retriesMax: retriesMax < 0 ? Number.POSITIVE_INFINITY : retriesMax,
    recordAgeMaxMs: recordAgeMaxS < 0 ? Number.POSITIVE_INFINITY : recordAgeMaxS * 1000,
    isBisected: mapping.properties.BisectBatchOnFunctionError === true,
    isPartial: reportsItemFailures(mapping),
    destinationArn: readFailureDestination(mapping),
  };
}
