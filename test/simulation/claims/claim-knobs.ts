/** Bounds of claims, turned so that a schedule of a few rows meets them. */
import { erasedCountsSchema, liftErasure, openErasure, claimErasureKey, saveErasure } from '../../../schema/erasure.ts';
import type { ScopeAddress } from '../../../schema/citation.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Write } from '../../../schema/request.ts';
import { hashOfValue } from './claim-invariants.ts';
import { turnEraseKnobs } from '../engine/erase-knobs.ts';

const limits = LIMITS as { -readonly [Name in keyof typeof LIMITS]: number };
const { curatedSlotsPerCallMax, forgottenPerScopeMax, forgottenReadMax } = LIMITS;
const DAY_MS = 86_400_000;

interface Turned {
  /** Answers of a call over many claim slots end after the first. */
  readonly isShort: boolean;
  /** 0: as many as there may be. */
  readonly forgottenMax: number;
}

export function turnClaimKnobs({ isShort, forgottenMax }: Turned): void {
  turnEraseKnobs(isShort ? { forCallerMs: 30 } : {});
  limits.curatedSlotsPerCallMax = isShort ? 1 : curatedSlotsPerCallMax;
  limits.forgottenPerScopeMax = forgottenMax === 0 ? forgottenPerScopeMax : forgottenMax;
  limits.forgottenReadMax = forgottenMax === 0 ? forgottenReadMax : forgottenMax + 1;
}

/** Claims that were forgotten and lifted, one day after the other. */
export function liftedBefore(address: ScopeAddress, values: readonly string[], nowMs: number): Write[] {
  return values.flatMap((value, k) => {
    const hash = hashOfValue(value);
    const key = claimErasureKey(address, hash);
    const atMs = nowMs - (values.length - k) * DAY_MS;
    const order = { kind: 'claim', ...address, hash, by: 'ann', requestedAtMs: atMs } as const;
    const told = {
      quietSinceMs: atMs,
      lookBeganAtMs: atMs,
      found: 1,
      isUnderWay: false,
      looks: 1,
      removed: erasedCountsSchema.parse({}),
      dueAtMs: atMs,
      position: undefined,
      finishedAtMs: atMs,
    };
    return [
      openErasure(key, order, `open ${k}`),
      saveErasure(key, 1, told, `save ${k}`),
      liftErasure(key, atMs + 1, `lift ${k}`),
    ];
  });
}
