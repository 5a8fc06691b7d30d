/** A queue's settings: which attributes are known, their ranges, their defaults. */
import { invalidValue, readInteger } from './fault.ts';

const DAY_S = 24 * 60 * 60;

/** AWS raised the largest message from 256 KiB to 1 MiB in 2025; a batch is held to the same sum. */
export const MESSAGE_MAX_BYTES = 1024 * 1024;

/** Integer attributes with their range and default, in the units of the protocol (seconds, bytes). */
const INTEGERS = {
  VisibilityTimeout: { min: 0, max: 43_200, absent: 30 },
  DelaySeconds: { min: 0, max: 900, absent: 0 },
  MessageRetentionPeriod: { min: 60, max: 14 * DAY_S, absent: 4 * DAY_S },
  ReceiveMessageWaitTimeSeconds: { min: 0, max: 20, absent: 0 },
  MaximumMessageSize: { min: 1024, max: MESSAGE_MAX_BYTES, absent: MESSAGE_MAX_BYTES },
} as const;

/** Taken and kept, without an effect on one machine. */
const INERT = new Set([
  'Policy',
  'KmsMasterKeyId',
  'KmsDataKeyReusePeriodSeconds',
  'SqsManagedSseEnabled',
  'RedriveAllowPolicy',
]);

export interface QueueSettings {
  readonly visibilityTimeoutS: number;
  readonly delayS: number;
  readonly retentionMs: number;
  readonly waitS: number;
  readonly messageMaxBytes: number;
  readonly redrive: { readonly deadLetterArn: string; readonly receivesMax: number } | undefined;
}

/**
 * Parses a queue's attributes.
 * Throws `InvalidParameterValue` for a value out of range, `InvalidAttributeName` as the same error for an unknown
 * attribute, and refuses FIFO queues by name.
 */
export function parseSettings(attributes: Readonly<Record<string, string>>): QueueSettings {
  for (const name of Object.keys(attributes)) {
    if (name === 'FifoQueue' || name === 'ContentBasedDeduplication' || name.startsWith('Fifo')) throw refuseFifo(name);
    if (name in INTEGERS || name === 'RedrivePolicy' || INERT.has(name)) continue;
    throw invalidValue(
      `Unknown queue attribute ${name}. Known: ${[...Object.keys(INTEGERS), 'RedrivePolicy'].join(', ')}.`,
    );
  }
  const read = (name: keyof typeof INTEGERS) => readInteger(name, attributes[name], INTEGERS[name]);
  return {
    visibilityTimeoutS: read('VisibilityTimeout'),
    delayS: read('DelaySeconds'),
    retentionMs: read('MessageRetentionPeriod') * 1000,
    waitS: read('ReceiveMessageWaitTimeSeconds'),
    messageMaxBytes: read('MaximumMessageSize'),
    redrive: parseRedrive(attributes.RedrivePolicy),
  };
}

/** The effective integer attributes, as GetQueueAttributes shows them. */
export function describeSettings(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const shown: Record<string, string> = { ...attributes };
  for (const [name, { absent }] of Object.entries(INTEGERS)) shown[name] ??= String(absent);
  return shown;
}

/** The error for anything that belongs to FIFO queues. */
export function refuseFifo(what: string): Error {
  return invalidValue(`${what}: FIFO queues are not emulated on one machine; use a standard queue.`);
}

function parseRedrive(policy: string | undefined): QueueSettings['redrive'] {
  if (policy === undefined || policy === '') return undefined;
  let parsed: { deadLetterTargetArn?: unknown; maxReceiveCount?: unknown };
  try {
    parsed = JSON.parse(policy) as typeof parsed;
  } catch {
    throw invalidValue(`Value ${policy} for parameter RedrivePolicy is invalid. Reason: it is not JSON.`);
  }
  if (typeof parsed.deadLetterTargetArn !== 'string') {
    throw invalidValue('Value for parameter RedrivePolicy is invalid. Reason: deadLetterTargetArn must be an ARN.');
  }
  const receivesMax = readInteger('maxReceiveCount', parsed.maxReceiveCount, { min: 1, max: 1000, absent: 10 });
  return { deadLetterArn: parsed.deadLetterTargetArn, receivesMax };
}
