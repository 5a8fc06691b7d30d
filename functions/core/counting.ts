/**
 * Which citations of a claim slot count: a function of the rows and of a time, so that what was known at another time is
 * answered by what answers for now.
 */
import type { Citation, CitationItem } from '../../schema/citation.ts';

/** A citation with what became of it. */
export type SlotCitation = Citation &
  Partial<Pick<CitationItem, 'passes' | 'undone' | 'withdrawnAtMs' | 'withdrawnFor' | 'protectionLiftedAtMs'>>;

/** Later than any time. */
export const NOW = Number.POSITIVE_INFINITY;

/** Not withdrawn by then, and said by a pass that was not undone by then, or by a person. */
export function stands(citation: SlotCitation, atMs: number = NOW): boolean {
  const { recordedAtMs, withdrawnAtMs = NOW, passes = {}, undone = {} } = citation;
  if (recordedAtMs > atMs || (withdrawnAtMs <= atMs && withdrawnAtMs < NOW)) return false;
  const made = Object.entries(passes);
  if (made.length === 0) return true;
  return made.some(([passId, madeAtMs]) => {
    const undoneAtMs = undone[passId];
    return madeAtMs <= atMs && (undoneAtMs === undefined || undoneAtMs > atMs);
  });
}

/** Whether it is a person's word that stands above the sources, at that time. */
export function protects(citation: SlotCitation, atMs: number = NOW): boolean {
  const { protectionLiftedAtMs: liftedAtMs } = citation;
  return citation.protects === true && (liftedAtMs === undefined || liftedAtMs > atMs);
}

export interface Retraction {
  /** What was captured up to then does not count. */
  readonly upToMs: number;
  readonly recordedAtMs: number;
  readonly reason?: string | undefined;
}

/** The latest retraction of each claim that stands at that time, by claim. */
export function retractionsOf(citations: readonly SlotCitation[], atMs: number = NOW): Map<string, Retraction> {
  const found = new Map<string, Retraction>();
  for (const citation of citations) {
    if (!citation.retracts || !stands(citation, atMs)) continue;
    const { claimId, capturedAtMs: upToMs, recordedAtMs, reason } = citation;
    const known = found.get(claimId);
    const isLater = !known || upToMs > known.upToMs || (upToMs === known.upToMs && recordedAtMs < known.recordedAtMs);
    if (isLater) found.set(claimId, { upToMs, recordedAtMs, reason });
  }
  return found;
}

/** Whether a retraction covers a citation: what was captured later is new evidence and counts again. */
export function isRetracted(
  { claimId, capturedAtMs }: Citation,
  retractions: ReadonlyMap<string, Retraction>,
): boolean {
  return capturedAtMs <= (retractions.get(claimId)?.upToMs ?? Number.NEGATIVE_INFINITY);
}

/** The citations that count at that time. Retractions are not among them: they say what does not. */
export function countingAt<C extends SlotCitation>(citations: readonly C[], atMs: number = NOW): C[] {
  const retractions = retractionsOf(citations, atMs);
  return citations.filter(
    (citation) => !citation.retracts && stands(citation, atMs) && !isRetracted(citation, retractions),
  );
}

/** Since when a citation that does not count at that time does not; its retraction's time, if that came first. */
export function fellAtMs(citation: SlotCitation, atMs: number, retraction: Retraction | undefined): number {
  const { withdrawnAtMs, passes = {}, undone = {} } = citation;
  const times: number[] = [];
  if (withdrawnAtMs !== undefined && withdrawnAtMs <= atMs) times.push(withdrawnAtMs);
  const made = Object.keys(passes);
  if (made.length > 0 && made.every((passId) => (undone[passId] ?? NOW) <= atMs)) {
    times.push(Math.max(...made.map((passId) => undone[passId] ?? 0)));
  }
  if (retraction && citation.capturedAtMs <= retraction.upToMs) {
    times.push(Math.max(retraction.recordedAtMs, citation.recordedAtMs));
  }
  return Math.min(...times);
}
