/**
 * What counts in a claim slot, who was told last and what is contested: worked out once more from the rows, by what
 * `functions/README.md` says of them and by none of the functions that write heads and attentions.
 */
import type { CitationItem } from '../../../schema/citation.ts';

const NEVER = Number.NEGATIVE_INFINITY;

/** Not taken back, and not called wrong since. */
export function countingIn(rows: readonly CitationItem[]): CitationItem[] {
  const standing = rows.filter(({ withdrawnAtMs, passes, undone }) => {
    const made = Object.keys(passes);
    return withdrawnAtMs === undefined && (made.length === 0 || made.some((passId) => undone[passId] === undefined));
  });
  const wrongUntilMs = (claimId: string): number =>
    Math.max(NEVER, ...standing.flatMap((row) => (row.retracts && row.claimId === claimId ? [row.capturedAtMs] : [])));
  return standing.filter(({ retracts, claimId, capturedAtMs }) => !retracts && capturedAtMs > wrongUntilMs(claimId));
}

type Place = 'dated' | 'undated';
export const PLACES: readonly Place[] = ['dated', 'undated'];

const isAt = (place: Place, { event, planned }: CitationItem): boolean =>
  !planned && (event !== undefined) === (place === 'dated');

/** Of one place those that happened last, and of these those that were captured last. */
export function lastAt(place: Place, rows: readonly CitationItem[]): CitationItem[] {
  const own = countingIn(rows).filter((row) => isAt(place, row));
  const happenedMs = Math.max(NEVER, ...own.map(({ event }) => event?.startMs ?? 0));
  const last = own.filter(({ event }) => (event?.startMs ?? 0) === happenedMs);
  const capturedMs = Math.max(NEVER, ...last.map(({ capturedAtMs }) => capturedAtMs));
  return last.filter(({ capturedAtMs }) => capturedAtMs === capturedMs);
}

/** Whether a person has to be asked: two claims were told at one time, or of the only two one calls the other wrong. */
export function isContested(rows: readonly CitationItem[]): boolean {
  const counting = countingIn(rows);
  if (counting.some((row) => row.protects && row.protectionLiftedAtMs === undefined)) return false;
  const claimsOf = (of: readonly CitationItem[]): Set<string> => new Set(of.map(({ claimId }) => claimId));
  if (PLACES.some((place) => claimsOf(lastAt(place, rows)).size > 1)) return true;
  const told = counting.filter(({ planned }) => !planned);
  const claims = claimsOf(told);
  const isAccused = ({ claimId, contradicts }: CitationItem): boolean =>
    contradicts !== undefined && contradicts !== claimId && claims.has(contradicts);
  return claims.size === 2 && told.some(isAccused);
}
