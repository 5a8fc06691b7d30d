/**
 * HEAD: a cache of which claim is current in a claim slot, as registers that only rise, but by a rebuild (design section
 * 9). Written by the worker and the curator: one conditional write per register, no read before, no retry loop.
 *
 * Key: scope partition / `HEAD#<entity>#<attribute>[#|<key>]`. Life: until erased. Stream reaction: none.
 *
 * - `dated`: the highest (event time, captured time, source, claim, citation) among dated claims;
 * - `undated`: the highest (captured time, source, claim, citation) among undated ones;
 * - `protected`: the highest (time said, citation) among a person's protecting citations: current while it is set;
 * - current else: whichever of the first two has the later captured time (equal: the dated one);
 * - `retracted`: claim → up to which captured time a person called it wrong: what is older cannot rise again.
 *
 * The citation comes last so that one claim cited twice in one source has one order too: the head names a citation.
 * A register's key is ASCII, so that `<` is the same function here and in a condition. `version` counts the raises and
 * rebuilds: a rebuild, which alone can lower a register, and a removal are conditional on it. It counts from another number
 * each time that a head is made, so that one made anew is at no version that was seen of one that was dropped.
 */
import * as z from 'zod';
import { type Citation, type ClaimSlot, type ScopeAddress, slotKeyOf, slotSchema } from './citation.ts';
import { hash22, sourceKeyOf } from './ids.ts';
import { get, type Get, type Item, type Key, query, type Query, removeWhen, update, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';
import { timeKey } from './time.ts';

export const registerSchema = z.object({
  claimId: z.string(),
  citationId: z.string(),
  value: z.string(),
  capturedAtMs: z.number(),
});
export type Register = z.infer<typeof registerSchema>;

export const REGISTERS = ['dated', 'undated', 'protected'] as const;
export type RegisterName = (typeof REGISTERS)[number];

export const headItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  slot: slotSchema,
  datedKey: z.string().optional(),
  dated: registerSchema.optional(),
  undatedKey: z.string().optional(),
  undated: registerSchema.optional(),
  protectedKey: z.string().optional(),
  protected: registerSchema.optional(),
  retracted: z.record(z.string(), z.number()).optional(),
  /** The keys before the last raise: they tell its writer what it displaced, also when its reply was lost. */
  datedWas: z.string().optional(),
  undatedWas: z.string().optional(),
  /** Two claims met at one time here once: whoever raises a register looks at the attentions too. */
  contested: z.boolean().optional(),
  version: z.int(),
});
export type HeadItem = z.infer<typeof headItemSchema>;

/** What a head holds of the citations: a function of them alone. */
export type Registers = Pick<
  HeadItem,
  'datedKey' | 'dated' | 'undatedKey' | 'undated' | 'protectedKey' | 'protected' | 'retracted'
>;

export function headKey({ scope, generation }: ScopeAddress, slot: ClaimSlot): Key {
  return { pk: scopePartition(scope, generation), sk: `HEAD#${slotKeyOf(slot)}` };
}

export function getHead(address: ScopeAddress, slot: ClaimSlot): Get {
  return get(headKey(address, slot));
}

/** Which register of the two that sources fill a citation enters, if any: a planned one and a retraction enter none. */
export function registerOf(citation: Citation): 'dated' | 'undated' | undefined {
  if (citation.planned || citation.retracts) return undefined;
  return citation.event ? 'dated' : 'undated';
}

/** When a citation stands in its register: event and captured time. Citations of one time are told apart by the rest. */
export function registerTimeOf({ capturedAtMs, event }: Citation): string {
  return event ? `${timeKey(event.startMs)}|${timeKey(capturedAtMs)}` : timeKey(capturedAtMs);
}

/** Where a citation stands among those of its register: the greatest is the register's. */
export function registerKeyOf(citation: Citation): string {
  const { source, claimId, citationId } = citation;
  return [registerTimeOf(citation), hash22(sourceKeyOf(source)), claimId, citationId].join('|');
}

/**
 * Where a protecting citation stands among those of its claim slot: by when the person said it, which is when it was
 * recorded unless they say otherwise. Said twice by a call that was repeated, it stands where it stood.
 */
export function protectedKeyOf({ capturedAtMs, citationId }: Citation): string {
  return `${timeKey(capturedAtMs)}|${citationId}`;
}

export function registerValueOf({ claimId, citationId, value, capturedAtMs }: Citation): Register {
  return { claimId, citationId, value, capturedAtMs };
}

/**
 * Raises a register of the claim slot to this citation. Answers the row.
 * Conditional on: the register is unset or lower; the claim was not retracted by a person since the source was captured.
 * Loses otherwise: then nothing changes.
 */
export function raiseRegister(address: ScopeAddress, citation: Citation, register: RegisterName, op: string): Write {
  const key = register === 'protected' ? protectedKeyOf(citation) : registerKeyOf(citation);
  const isProtected = register === 'protected';
  return update({
    key: headKey(address, citation.slot),
    op,
    set: { v: ITEM_VERSION, slot: citation.slot, [`${register}Key`]: key, [register]: registerValueOf(citation) },
    setClauses: [COUNT_VERSION, ...(isProtected ? [] : [`#${register}Was = if_not_exists(#${register}Key, :none)`])],
    when: [
      `attribute_not_exists(#${register}Key) OR #${register}Key < :key`,
      'attribute_not_exists(#retracted.#claim) OR #retracted.#claim < :captured',
    ],
    values: {
      ...countValues(op),
      ':key': key,
      ':captured': citation.capturedAtMs,
      ...(isProtected ? {} : { ':none': '' }),
    },
    names: { '#claim': citation.claimId },
    returns: 'ALL_NEW',
  });
}

/** From where the versions of a head count that this write makes: 48 bits of its `op`. */
function firstVersionOf(op: string): number {
  return Buffer.from(hash22(op), 'base64url').readUIntBE(0, 6);
}

const COUNT_VERSION = '#version = if_not_exists(#version, :first) + :one';
const countValues = (op: string) => ({ ':first': firstVersionOf(op), ':one': 1 });

const FIELDS = [
  'datedKey',
  'dated',
  'undatedKey',
  'undated',
  'protectedKey',
  'protected',
  'retracted',
] as const satisfies readonly (keyof Registers)[];

/**
 * Sets a head to what its citations say, lower where need be.
 * Conditional on: the head is at the version the citations were read after (`undefined`: there was none).
 * Loses when a register was raised meanwhile: the citations are read again then.
 */
export function rebuildHead(
  address: ScopeAddress,
  slot: ClaimSlot,
  { registers, seenVersion, op }: { registers: Registers; seenVersion: number | undefined; op: string },
): Write {
  const present = FIELDS.filter((field) => registers[field] !== undefined);
  return update({
    key: headKey(address, slot),
    op,
    set: { v: ITEM_VERSION, slot, ...Object.fromEntries(present.map((field) => [field, registers[field]])) },
    setClauses: [COUNT_VERSION],
    remove: [...FIELDS.filter((field) => !present.includes(field)), 'datedWas', 'undatedWas'],
    when: [seenVersion === undefined ? 'attribute_not_exists(#pk)' : '#version = :seen'],
    values: { ...countValues(op), ...(seenVersion !== undefined && { ':seen': seenVersion }) },
  });
}

/** Notes that two claims met at one time. Conditional on: there is a head. Loses when there is none: nothing stands then. */
export function flagContest(address: ScopeAddress, slot: ClaimSlot, op: string): Write {
  return update({ key: headKey(address, slot), op, set: { contested: true }, when: ['attribute_exists(#pk)'] });
}

/**
 * Drops the head of a claim slot that has no citations left: an erase took them, and the head's key and registers tell of
 * them. Conditional on: the head is at the version that was read before its citations were. Loses when it was raised, or
 * dropped and made anew, meanwhile: a removal can be long on its way when its eraser is dead.
 */
export function dropHead(address: ScopeAddress, slot: ClaimSlot, seenVersion: number): Write {
  return removeWhen(headKey(address, slot), { when: ['#version = :seen'], values: { ':seen': seenVersion } });
}

/** The heads of a scope, in the order of their claim slots. */
export function queryHeads({ scope, generation }: ScopeAddress, limit: number, startKey?: Item): Query {
  return query({ partition: scopePartition(scope, generation), beginsWith: 'HEAD#', limit, startKey });
}
