import { describe, expect, it } from 'vitest';
import { STREAM_FILTERS } from '../../schema/edges.ts';
import { TERMINAL_STATUSES } from '../../schema/pass.ts';
import { at, loadTemplate, resourcesOf } from './template.ts';

/** The part of Lambda's filter language that our patterns use: exact values, `prefix` and `exists: false`. */
function matches(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.some((rule) => matchesRule(rule, value));
  return Object.entries(pattern as Record<string, unknown>).every(([name, inner]) => matches(inner, at(value, name)));
}

function matchesRule(rule: unknown, value: unknown): boolean {
  if (typeof rule === 'string') return value === rule;
  const { prefix, exists, ...others } = rule as { prefix?: string; exists?: boolean };
  if (Object.keys(others).length > 0) throw new Error(`This test does not know the rule ${JSON.stringify(rule)}.`);
  if (exists !== undefined) return (value !== undefined) === exists;
  return typeof value === 'string' && prefix !== undefined && value.startsWith(prefix);
}

/** The patterns as they stand in the template, not the constant they came from. */
const mapped = resourcesOf(loadTemplate(), 'AWS::Lambda::EventSourceMapping').flatMap(
  ([, { Properties }]) => (at(Properties, 'FilterCriteria', 'Filters') as { Pattern: string }[] | undefined) ?? [],
);
const patterns = mapped.map(({ Pattern }) => JSON.parse(Pattern) as unknown);
const wakes = (record: unknown) => patterns.some((pattern) => matches(pattern, record));

const SCOPE_PK = 'SCOPE#alice#1';
const PASS_SK = 'PASS#0000638500000000000aBcD';
const BY_TTL = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

interface Golden {
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly pk?: string;
  readonly sk: string;
  readonly image?: Record<string, unknown>;
  readonly userIdentity?: Record<string, string>;
}

/** A stream record as AWS shapes it. */
function record({ eventName, pk = SCOPE_PK, sk, image, userIdentity }: Golden): unknown {
  const Keys = { pk: { S: pk }, sk: { S: sk } };
  return {
    eventID: '7de3041dd709b024af6f29e4fa13d34c',
    eventName,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'eu-central-1',
    ...(userIdentity && { userIdentity }),
    dynamodb: {
      ApproximateCreationDateTime: 1_750_000_000,
      Keys,
      ...(image && { NewImage: { ...Keys, v: { N: '1' }, op: { S: 'op-1' }, ...image } }),
      SequenceNumber: '4421584500000000017450439091',
      SizeBytes: 512,
      StreamViewType: 'NEW_IMAGE',
    },
    eventSourceARN: 'arn:aws:dynamodb:eu-central-1:123456789012:table/control/stream/2025-06-15T00:00:00.000',
  };
}

const FINALIZED = { finalizedAtMs: { N: '1750000000000' } };

const WAKES: readonly (readonly [string, Golden])[] = [
  ...TERMINAL_STATUSES.map(
    (status) =>
      [`a pass that is ${status}`, { eventName: 'MODIFY', sk: PASS_SK, image: { status: { S: status } } }] as const,
  ),
  [
    'a pass that is expired before it ever started',
    { eventName: 'INSERT', sk: PASS_SK, image: { status: { S: 'expired' } } },
  ],
  ['a LEASE row that TTL removed', { eventName: 'REMOVE', sk: `${PASS_SK}#LEASE#0001`, userIdentity: BY_TTL }],
];

const SLEEPS: readonly (readonly [string, Golden])[] = [
  ['an admitted pass', { eventName: 'INSERT', sk: PASS_SK, image: { status: { S: 'admitted' } } }],
  ['a heartbeat', { eventName: 'MODIFY', sk: PASS_SK, image: { status: { S: 'running' }, heartbeatAtMs: { N: '1' } } }],
  [
    'the finalizer marking its pass',
    { eventName: 'MODIFY', sk: PASS_SK, image: { status: { S: 'completed' }, ...FINALIZED } },
  ],
  ['the finalizer deleting a LEASE row', { eventName: 'REMOVE', sk: `${PASS_SK}#LEASE#0001` }],
  [
    'a LEASE row deleted by somebody who is not the service',
    { eventName: 'REMOVE', sk: `${PASS_SK}#LEASE#0001`, userIdentity: { type: 'User', principalId: 'AIDAEXAMPLE' } },
  ],
  ['a new LEASE row', { eventName: 'INSERT', sk: `${PASS_SK}#LEASE#0001`, image: { expiresAtMs: { N: '1' } } }],
  ['a new REVIEW row', { eventName: 'INSERT', sk: `${PASS_SK}#REVIEW#0001`, image: { refs: { L: [] } } }],
  [
    'evidence that the finalizer settled',
    { eventName: 'MODIFY', sk: 'EVIDENCE#incremental#note#x#00', image: { state: { S: 'settled' } } },
  ],
  [
    'another row with a status that sounds terminal',
    { eventName: 'MODIFY', sk: 'ATTENTION#stall#x', image: { status: { S: 'completed' } } },
  ],
  ['a trigger that TTL removed', { eventName: 'REMOVE', pk: 'TRIGGER#t1', sk: 'TRIGGER', userIdentity: BY_TTL }],
  ['the ledger', { eventName: 'MODIFY', pk: 'POOL#0', sk: 'LEDGER', image: { version: { N: '7' } } }],
];

describe('what wakes the finalizer', () => {
  it('is what the schema says, in the template', () => {
    expect(patterns).toEqual(STREAM_FILTERS);
  });

  it('is at most five patterns, as Lambda takes them', () => {
    expect(patterns.length).toBeLessThanOrEqual(5);
  });

  it('names every terminal status', () => {
    const [statuses] = patterns.map((pattern) => at(pattern, 'dynamodb', 'NewImage', 'status', 'S'));
    expect([...(statuses as string[])].sort()).toEqual([...TERMINAL_STATUSES].sort());
  });

  it.each(WAKES)('%s', (_words, golden) => {
    expect(wakes(record(golden))).toBe(true);
  });

  it.each(SLEEPS)('is not %s', (_words, golden) => {
    expect(wakes(record(golden))).toBe(false);
  });

  it('would also be its own writes, were the clause about finalized passes missing', () => {
    const careless = structuredClone(patterns[0]) as { dynamodb: { NewImage: { finalizedAtMs?: unknown } } };
    delete careless.dynamodb.NewImage.finalizedAtMs;
    const own = record({ eventName: 'MODIFY', sk: PASS_SK, image: { status: { S: 'completed' }, ...FINALIZED } });
    expect(matches(careless, own)).toBe(true);
  });
});
