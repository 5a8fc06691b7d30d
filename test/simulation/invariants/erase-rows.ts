/** Which rows an erasure takes: told from their keys and what they say. */
import { forgottenHashOf } from '../../../functions/core/forgetting.ts';
import type { CitationItem, ClaimSlot } from '../../../schema/citation.ts';
import type { ErasureItem } from '../../../schema/erasure.ts';
import { type HeadItem, REGISTERS } from '../../../schema/head.ts';
import { EVIDENCE_ATTENTION } from '../../../schema/evidence-attention.ts';
import { keyPart } from '../../../schema/ids.ts';
import type { Item } from '../../../schema/request.ts';
import type { Actor } from '../engine/actor.ts';
import type { Change } from '../engine/tables.ts';

/** Rows that are told apart in what an erasure says of itself. */
export interface Removed {
  citations: number;
  textRows: number;
  evidence: number;
  /** All else. */
  others: number;
}

/** One erasure as far as it was watched; a claim or source that is lifted and erased again is another. */
export interface Ordered {
  item: ErasureItem;
  readonly pk: string;
  readonly orderedAtMs: number;
  readonly removed: Removed;
  /** Which run took which row: a removal that was sent again may take it twice, written anew, and is told once. */
  readonly took: Set<string>;
  /** What a run took once more: told or not. */
  readonly again: Removed;
  /** True time at which a row went that no other erasure means too. */
  lastRemovedAtMs: number;
  /** By whose run, and when one of another run went last. */
  lastRemovedBy: Actor | undefined;
  removedBeforeMs: number;
  /** A run of it died, failed or met another: then what it removed may be told by nobody. */
  isTroubled: boolean;
  /** Another means a row of it too: whose run took that is not known. */
  isShared: boolean;
  /** Between the last row that went and the look it ended with. */
  quietMs: number;
  /** When its order was first answered. */
  answeredAtMs: number | undefined;
  /** True time at which the look under way had begun. */
  lookBeganAtMs: number;
}

export type Place = Pick<Change, 'table' | 'pk' | 'sk'>;

/** What an erasure names. */
export type Meant = Pick<ErasureItem, 'kind' | 'scope' | 'generation' | 'source' | 'hash'>;

function saysHash(hash: string | undefined, slot: ClaimSlot, value: string): boolean {
  return forgottenHashOf({ slot, value }) === hash;
}

interface Contest {
  readonly slot?: ClaimSlot;
  readonly sides: readonly { readonly value: string; readonly source: string }[];
}

/** What an attention quotes; one of another kind than a contest quotes nothing. */
function contestIn({ details }: Item): Contest {
  const contest = details as Contest | undefined;
  return contest?.sides ? contest : { sides: [] };
}

/** What a dry run would have written. */
function proposedIn({ sk, citations }: Item): readonly CitationItem[] {
  return String(sk).includes('#PROPOSAL#') ? (citations as CitationItem[]) : [];
}

/** Whether a row tells of a forgotten claim: a citation that was not emptied, a head or an attention that names one. */
function tellsOfClaim({ hash }: Meant, sk: string, row: Item): boolean {
  if (sk.startsWith('PASS#')) return proposedIn(row).some(({ slot, value }) => saysHash(hash, slot, value));
  if (sk.startsWith('CLAIM#')) {
    const { slot, value, entityName } = row as unknown as CitationItem;
    return entityName !== '' && saysHash(hash, slot, value);
  }
  if (sk.startsWith('ATTENTION#')) {
    const { slot, sides } = contestIn(row);
    return slot !== undefined && sides.some(({ value }) => saysHash(hash, slot, value));
  }
  if (!sk.startsWith('HEAD#')) return false;
  const head = row as unknown as HeadItem;
  return REGISTERS.some((name) => head[name] !== undefined && saysHash(hash, head.slot, head[name].value));
}

function tellsOfSource({ scope, generation, source }: Meant, { table, pk, sk }: Place, row: Item): boolean {
  const name = `${source?.kind}#${keyPart(source?.id ?? '')}`;
  if (table === 'text') return pk.startsWith(`${scope}#${generation}#${name}#`);
  if (sk.startsWith('CLAIM#')) {
    const cited = (row as unknown as CitationItem).source;
    return cited.kind === source?.kind && cited.id === source.id;
  }
  if (sk.startsWith('PASS#'))
    return proposedIn(row).some((cited) => cited.source.kind === source?.kind && cited.source.id === source.id);
  if (sk.startsWith(`ATTENTION#${EVIDENCE_ATTENTION}#${name}#`)) return true;
  if (sk.startsWith('ATTENTION#')) {
    return contestIn(row).sides.some((side) => side.source.startsWith(`${source?.kind}:${source?.id}@`));
  }
  if (sk === `SOURCE#${name}`) return row.erasedAtMs === undefined;
  return sk.startsWith(`TEXTLIST#${name}#`) || (sk.startsWith('EVIDENCE#') && sk.includes(`#${name}#`));
}

/** Whether a row is among what an erasure takes. Of a scope nothing is kept in the generation that went. */
export function isMeant(item: Meant, place: Place, row: Item): boolean {
  const { kind, scope, generation } = item;
  const isOwn =
    place.table === 'text'
      ? place.pk.startsWith(`${scope}#${generation}#`)
      : place.pk === `SCOPE#${scope}#${generation}`;
  if (!isOwn || kind === 'scope') return isOwn;
  return kind === 'source' ? tellsOfSource(item, place, row) : tellsOfClaim(item, place.sk, row);
}

/** Under what an erasure of this kind counts a row. Of a scope, what names a text is counted with the evidence. */
export function countOf({ table, sk }: Place, kind: Meant['kind']): keyof Removed {
  if (table === 'text') return 'textRows';
  if (sk.startsWith('CLAIM#')) return 'citations';
  const isNamed = sk.startsWith('EVIDENCE#') || (kind === 'scope' && sk.startsWith('TEXTLIST#'));
  return isNamed ? 'evidence' : 'others';
}
