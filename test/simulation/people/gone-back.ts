/**
 * Sources that go back to their first text: edited, and then put back under a later captured time. The same revision is
 * new work then, whatever became of it, and what it says is captured later than what came between. In directed scenarios
 * alone: a text that is sent again while it stands keeps its captured time, so with calls that overtake each other it
 * would be open which of the two is the newest.
 */
import type { EvidenceItem } from '../../../schema/evidence.ts';
import type { PlannedIngest, PlannedSource } from '../plans/plan.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** The first revision of each source, edited so long after it came, and put back so long after that. */
export function putBack(
  ingests: readonly PlannedIngest[],
  { editAfterMs, backAfterMs }: { readonly editAfterMs: number; readonly backAfterMs: number },
): readonly PlannedIngest[] {
  const sent = ingests.flatMap(({ atMs, sources }) => sources.map((source) => ({ atMs, source })));
  const bySource = Map.groupBy(sent, ({ source: { scope, id } }) => `${scope} ${id}`);
  return [...bySource.values()].flatMap(([first]): PlannedIngest[] => {
    if (!first) return [];
    const { atMs, source } = first;
    const edited: PlannedSource = {
      ...source,
      text: `${source.text}\nAn edit.`,
      capturedAtMs: source.capturedAtMs + MINUTE_MS,
    };
    const back: PlannedSource = { ...source, capturedAtMs: source.capturedAtMs + 2 * MINUTE_MS };
    const callOf = (afterMs: number, one: PlannedSource): PlannedIngest => {
      return { atMs: atMs + afterMs, scope: source.scope, sources: [one] };
    };
    return [callOf(0, source), callOf(editAfterMs, edited), callOf(editAfterMs + backAfterMs, back)];
  });
}

/** Whether ingest put a revision back among what is to be read from where it begins, under a later captured time. */
export function isPutBack(before: EvidenceItem, after: EvidenceItem): boolean {
  const isAnew = after.cursor === (after.beganAt ?? 0);
  return after.state === 'pending' && isAnew && after.capturedAtMs > before.capturedAtMs;
}
