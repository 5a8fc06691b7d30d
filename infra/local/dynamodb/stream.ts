/**
 * A table's stream: one record for each write that changed something, kept until acknowledged.
 *
 * A record's index counts from 0 over the table's whole life; its SequenceNumber is that index + 1, so that a position
 * survives trimming and restarts. Records share their images with the stored items; a reader must not change them (the
 * runtime sends every record on as JSON text).
 */
import type { Item } from './attribute-value.ts';
import { itemSizeBytes } from './size.ts';
import type { StreamViewType, TableDescription } from './table-description.ts';

export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventVersion: '1.1';
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly userIdentity?: { readonly type: 'Service'; readonly principalId: 'dynamodb.amazonaws.com' };
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Item;
    readonly NewImage?: Item;
    readonly OldImage?: Item;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: StreamViewType;
  };
}

/** What a write did to one item, before it becomes a record. */
export interface ItemChange {
  readonly keys: Item;
  readonly old: Item | undefined;
  readonly next: Item | undefined;
  /** The engine's TTL sweep deleted the item. */
  readonly byTtl: boolean;
  /** Epoch seconds. */
  readonly atSeconds: number;
}

export interface StreamPage {
  readonly records: readonly StreamRecord[];
  /** Where to read on. */
  readonly nextIndex: number;
}

/** What a compacted log keeps of a stream. */
export interface StreamState {
  readonly firstIndex: number;
  readonly records: readonly StreamRecord[];
}

/**
 * AWS keeps a record for 24 hours; here a stream that nobody acknowledges keeps its newest 100,000, about 100 MB at 1
 * KB an image, because a test or a bench may write for hours with no reader.
 */
export const STREAM_RECORDS_MAX = 100_000;
/** Trimming in blocks keeps it from costing a copy of the list at every write. */
const TRIM_BLOCK_RECORDS = 10_000;
const SEQUENCE_DIGITS = 20;

export class TableStream {
  readonly #arn: string;
  readonly #region: string;
  readonly #viewType: StreamViewType;
  readonly #idPrefix: string;
  #records: StreamRecord[] = [];
  /** Index of the oldest record kept. */
  #firstIndex = 0;
  readonly listeners = new Set<(record: StreamRecord) => void>();

  constructor(description: TableDescription) {
    this.#arn = description.LatestStreamArn as string;
    this.#region = description.TableArn.split(':')[3] as string;
    this.#viewType = description.StreamSpecification?.StreamViewType as StreamViewType;
    this.#idPrefix = description.TableId.replaceAll('-', '').slice(0, 16);
  }

  append(change: ItemChange): StreamRecord {
    const record = this.#writeRecord(change, this.#firstIndex + this.#records.length);
    this.#records.push(record);
    if (this.#records.length >= STREAM_RECORDS_MAX + TRIM_BLOCK_RECORDS) this.#drop(TRIM_BLOCK_RECORDS);
    return record;
  }

  /**
   * At most `limit` records from `fromIndex` on, or from the oldest kept when that one is gone (as TRIM_HORIZON does).
   */
  read(fromIndex: number, limit: number): StreamPage {
    const start = Math.max(fromIndex - this.#firstIndex, 0);
    const records = this.#records.slice(start, start + limit);
    return { records, nextIndex: Math.max(fromIndex, this.#firstIndex) + records.length };
  }

  /**
   * Drops everything up to and including the record with this SequenceNumber; false when nothing was left to drop.
   * Throws a RangeError for a number this stream has not given out.
   */
  acknowledge(sequenceNumber: string): boolean {
    const count = readSequenceNumber(sequenceNumber) - this.#firstIndex;
    if (!Number.isSafeInteger(count) || count > this.#records.length) {
      throw new RangeError(
        `Sequence number ${sequenceNumber} cannot be acknowledged: ${this.#arn} has given out none beyond ${writeSequenceNumber(this.#firstIndex + this.#records.length - 1)}. Acknowledge a record's own dynamodb.SequenceNumber.`,
      );
    }
    if (count <= 0) return false;
    this.#drop(count);
    return true;
  }

  get state(): StreamState {
    return { firstIndex: this.#firstIndex, records: this.#records };
  }

  restore({ firstIndex, records }: StreamState): void {
    this.#firstIndex = firstIndex;
    this.#records = [...records];
  }

  #drop(count: number): void {
    this.#records.splice(0, count);
    this.#firstIndex += count;
  }

  #writeRecord({ keys, old, next, byTtl, atSeconds }: ItemChange, index: number): StreamRecord {
    const newImage = this.#viewType.startsWith('NEW') ? next : undefined;
    const oldImage = this.#viewType.includes('OLD_IMAGE') ? old : undefined;
    return {
      // The same after a restart: a redelivered record must be known by its id.
      eventID: this.#idPrefix + index.toString(16).padStart(16, '0'),
      eventName: old === undefined ? 'INSERT' : next === undefined ? 'REMOVE' : 'MODIFY',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: this.#region,
      dynamodb: {
        ApproximateCreationDateTime: atSeconds,
        Keys: keys,
        ...(newImage && { NewImage: newImage }),
        ...(oldImage && { OldImage: oldImage }),
        SequenceNumber: writeSequenceNumber(index),
        SizeBytes: [keys, newImage, oldImage].reduce((bytes, image) => bytes + (image ? itemSizeBytes(image) : 0), 0),
        StreamViewType: this.#viewType,
      },
      eventSourceARN: this.#arn,
      ...(byTtl && { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } }),
    };
  }
}

/**
 * All of one length, so that they sort as text too; the leading 1 keeps it a plain decimal of 21 digits, as AWS's are.
 */
function writeSequenceNumber(index: number): string {
  return `1${String(index + 1).padStart(SEQUENCE_DIGITS, '0')}`;
}

/** How many records of the stream end with this one. */
function readSequenceNumber(sequenceNumber: string): number {
  return new RegExp(`^1\\d{${SEQUENCE_DIGITS}}$`).test(sequenceNumber) ? Number(sequenceNumber.slice(1)) : Number.NaN;
}
