/** What a head must hold, from the citations of its claim slot: the same function that a rebuild and a view go by. */
import type { Citation } from '../../schema/citation.ts';
import {
  type HeadItem,
  protectedKeyOf,
  registerKeyOf,
  registerOf,
  type Registers,
  registerValueOf,
} from '../../schema/head.ts';
import { LIMITS } from '../../schema/limits.ts';
import { countingAt, NOW, protects, retractionsOf, type SlotCitation } from './counting.ts';

/** A person's word is current while it stands; else the dated register, unless the undated one was captured later. */
export function currentRegister<R extends { readonly capturedAtMs: number }>(
  dated: R | undefined,
  undated: R | undefined,
  protecting?: R,
): R | undefined {
  if (protecting) return protecting;
  if (!dated || !undated) return dated ?? undated;
  return undated.capturedAtMs > dated.capturedAtMs ? undated : dated;
}

/** The greatest by a key of ASCII. */
export function greatest<C>(of: readonly C[], keyOf: (one: C) => string): C | undefined {
  return of.reduce<C | undefined>((top, one) => (top !== undefined && keyOf(top) >= keyOf(one) ? top : one), undefined);
}

export interface Tops<C> {
  readonly dated: C | undefined;
  readonly undated: C | undefined;
  readonly protected: C | undefined;
}

/** The top of each register among citations that count at that time. */
export function topsOf<C extends SlotCitation>(counting: readonly C[], atMs: number = NOW): Tops<C> {
  const inRegister = counting.filter((citation) => registerOf(citation) !== undefined);
  return {
    dated: greatest(
      inRegister.filter(({ event }) => event),
      registerKeyOf,
    ),
    undated: greatest(
      inRegister.filter(({ event }) => !event),
      registerKeyOf,
    ),
    protected: greatest(
      inRegister.filter((citation) => protects(citation, atMs)),
      protectedKeyOf,
    ),
  };
}

function describeRetracted(citations: readonly SlotCitation[]): Registers['retracted'] {
  const newest = [...retractionsOf(citations)]
    .sort(([a, { upToMs: x }], [b, { upToMs: y }]) => y - x || (a < b ? -1 : 1))
    .slice(0, LIMITS.retractedClaimsMax);
  return newest.length === 0 ? undefined : Object.fromEntries(newest.map(([id, { upToMs }]) => [id, upToMs]));
}

/** The registers of a claim slot, from all its citations, whatever became of them. */
export function registersOf(citations: readonly SlotCitation[]): Registers {
  const { dated, undated, protected: protecting } = topsOf(countingAt(citations));
  const retracted = describeRetracted(citations);
  return {
    ...(dated && { datedKey: registerKeyOf(dated), dated: registerValueOf(dated) }),
    ...(undated && { undatedKey: registerKeyOf(undated), undated: registerValueOf(undated) }),
    ...(protecting && { protectedKey: protectedKeyOf(protecting), protected: registerValueOf(protecting) }),
    ...(retracted && { retracted }),
  };
}

/** Whether a head holds just these registers. No head holds none. */
export function holdsRegisters(head: HeadItem | undefined, registers: Registers): boolean {
  const sides = [head ?? {}, registers].map(({ datedKey, undatedKey, protectedKey, retracted }: Registers) => [
    datedKey,
    undatedKey,
    protectedKey,
    Object.entries(retracted ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  return JSON.stringify(sides[0]) === JSON.stringify(sides[1]);
}

/** The claim that a register's key names. */
export function claimOfKey(key: string): string {
  return key.split('|').at(-2) ?? '';
}

/** Whether a register's key stands at the same time as this citation and names another claim. */
export function tiesWith(key: string | undefined, citation: Citation): boolean {
  const own = registerKeyOf(citation);
  if (key === undefined || key.split('|').length !== own.split('|').length) return false;
  const timeOf = (text: string): string => text.split('|').slice(0, -3).join('|');
  return timeOf(key) === timeOf(own) && claimOfKey(key) !== citation.claimId;
}
