/**
 * What must hold after every write of a row of the memory: it is a whole row, it keeps what became of it first, and its
 * registers only rise.
 */
import { isForgotten } from '../../../functions/io/forgotten.ts';
import type { CitationItem } from '../../../schema/citation.ts';
import type { Item } from '../../../schema/request.ts';
import { judgeRecord } from '../invariants/erase-record.ts';
import type { Change } from '../engine/tables.ts';

type Fail = (invariant: string, found: string) => void;

const WATCHED = /^(CLAIM|HEAD|ENTITY|ALIAS|ATTENTION|ERASURE)#/;

/** What is set once for all: each pair of a map, or a value. */
function isKept(before: unknown, after: unknown): boolean {
  if (before === undefined) return true;
  if (typeof before !== 'object') return before === after;
  return Object.entries(before as Item).every(([key, value]) => (after as Item | undefined)?.[key] === value);
}

/** What a row says beside its value and quote. */
const SAYING = ['event', 'contradicts', 'protects', 'retracts', 'reason'];

function checkCitation(before: Item, after: Item, fail: (found: string) => void): void {
  const isForgotten = after.withdrawnFor === 'forgotten';
  for (const name of ['passes', 'undone', 'protectionLiftedAtMs'])
    if (!isKept(before[name], after[name])) fail(`a row changed its ${name}`);
  if (!isForgotten && !isKept(before.withdrawnAtMs, after.withdrawnAtMs)) fail('a row was withdrawn twice');
  if (isForgotten && SAYING.some((name) => after[name] !== undefined)) fail('a row that was emptied says something');
  if ((after.capturedAtMs as number) < (before.capturedAtMs as number)) fail('a row went back in time');
}

function checkEntity(before: Item, after: Item, fail: (found: string) => void): void {
  for (const key of ['nameKey', 'typeKey']) {
    const [was, is] = [before[key] as string | undefined, after[key] as string | undefined];
    if (was !== undefined && (is === undefined || is < was)) fail(`${key} fell`);
  }
}

function checkAlias(before: Item, after: Item, fail: (found: string) => void): void {
  const isReopened = before.endedAtMs !== undefined && after.endedAtMs === undefined;
  if (!isReopened && before.recordedAtMs !== after.recordedAtMs) fail('a merge that stands was said anew');
  if (!isReopened && !isKept(before.endedAtMs, after.endedAtMs)) fail('a merge was ended twice');
}

function checkAttention(before: Item | undefined, after: Item, fail: (found: string) => void): void {
  const isOf = (row: Item): boolean => ((row.resolution as string | undefined) ?? '').startsWith('declined: ');
  if (isOf(after) && after.resolution !== `declined: ${String(after.subjectKey)}`)
    fail('what was decided was not seen');
  if (!before || !isOf(before) || before.subjectKey !== after.subjectKey) return;
  if (before.resolution !== after.resolution || before.resolvedBy !== after.resolvedBy) fail('a decision was lost');
}

function checkErasure(before: Item, after: Item, fail: (found: string) => void): void {
  const wrong = judgeRecord(before, after);
  if (wrong) fail(wrong);
}

const CHECKS = { CLAIM: checkCitation, ENTITY: checkEntity, ALIAS: checkAlias, ERASURE: checkErasure } as const;
const NAMES = { CLAIM: 'citations', ENTITY: 'entities', ALIAS: 'merges', ERASURE: 'forgotten' } as const;

export function checkClaimChange({ sk, before, after }: Change, fail: Fail): void {
  const kind = WATCHED.exec(sk)?.[1];
  if (kind === undefined || !after) return;
  if (after.v === undefined) return fail('whole rows', `${sk} holds ${Object.keys(after).join()}`);
  if (kind === 'CLAIM' && Object.keys(after.passes as object).length !== after.passCount) {
    fail('citations', `${sk} counts ${String(after.passCount)} passes and lists others`);
  }
  if (kind === 'ATTENTION') return checkAttention(before, after, (found) => fail('decisions', `${sk}: ${found}`));
  if (kind === 'HEAD' || !before) return;
  const name = kind as keyof typeof CHECKS;
  CHECKS[name](before, after, (found) => fail(NAMES[name], `${sk}: ${found}`));
}

/** Words of a claim that was forgotten before their writer began, at the moment they are written. */
export function tellsForgotten({ sk, before, after }: Change, hashes: ReadonlySet<string>): boolean {
  return sk.startsWith('CLAIM#') && !before && after?.v !== undefined && isForgotten(hashes, after as CitationItem);
}
