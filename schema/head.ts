/**
 * HEAD: a cache of which claim is current in a claim slot, as two registers that can only rise (design section 9).
 * Written by the worker: one conditional write per register, no read before, no retry loop.
 *
 * Key: scope partition / `HEAD#<entity>#<attribute>[#<key>]`. Life: until erased. Stream reaction: none.
 *
 * - `dated`: the highest (event time, captured time, source, claim, citation) among dated claims;
 * - `undated`: the highest (captured time, source, claim, citation) among undated ones;
 * - current: whichever of the two has the later captured time (equal: the dated one).
 *
 * The citation comes last so that one claim cited twice in one source has one order too: the head names a citation.
 * A register's key is ASCII, so that `<` is the same function here and in a condition.
 */
import * as z from 'zod';
import { type Citation, type ClaimSlot, type ScopeAddress, slotKeyOf, slotSchema } from './citation.ts';
import { hash22, sourceKeyOf } from './ids.ts';
import { get, type Get, type Key, update, type Write } from './request.ts';
import { scopePartition } from './scope.ts';
import { ITEM_VERSION } from './table.ts';
import { timeKey } from './time.ts';

export const registerSchema = z.object({
  claimId: z.string(),
  citationId: z.string(),
  value: z.string(),
  capturedAtMs: z.number(),
});

export const headItemSchema = z.object({
  v: z.literal(ITEM_VERSION),
  slot: slotSchema,
  datedKey: z.string().optional(),
  dated: registerSchema.optional(),
  undatedKey: z.string().optional(),
  undated: registerSchema.optional(),
  version: z.int(),
});
export type HeadItem = z.infer<typeof headItemSchema>;
export type RegisterName = 'dated' | 'undated';

export function headKey({ scope, generation }: ScopeAddress, slot: ClaimSlot): Key {
  return { pk: scopePartition(scope, generation), sk: `HEAD#${slotKeyOf(slot)}` };
}

export function getHead(address: ScopeAddress, slot: ClaimSlot): Get {
  return get(headKey(address, slot));
}

/** Which register a citation enters, if any: a planned one enters none. */
export function registerOf(citation: Citation): RegisterName | undefined {
  if (citation.planned) return undefined;
  return citation.event ? 'dated' : 'undated';
}

/** Where a citation stands among those of its register: the greatest is the register's. */
export function registerKeyOf(citation: Citation): string {
  const { capturedAtMs, source, claimId, citationId } = citation;
  const parts = [timeKey(capturedAtMs), hash22(sourceKeyOf(source)), claimId, citationId];
  if (citation.event) parts.unshift(timeKey(citation.event.startMs));
  return parts.join('|');
}

/**
 * Raises a register of the claim slot to this citation.
 * Conditional on: the register is unset or lower. Loses when it stands as high or higher: then nothing changes.
 */
export function raiseRegister(address: ScopeAddress, citation: Citation, register: RegisterName, op: string): Write {
  const key = registerKeyOf(citation);
  const { claimId, citationId, value, capturedAtMs } = citation;
  return update({
    key: headKey(address, citation.slot),
    op,
    set: {
      v: ITEM_VERSION,
      slot: citation.slot,
      [`${register}Key`]: key,
      [register]: { claimId, citationId, value, capturedAtMs },
    },
    setClauses: ['#version = if_not_exists(#version, :zero) + :one'],
    when: [`attribute_not_exists(#${register}Key) OR #${register}Key < :key`],
    values: { ':zero': 0, ':one': 1, ':key': key },
  });
}
