/**
 * What a change ("moved", "quit", "started") must pass before it may fill a single-valued claim slot. What fails becomes a
 * many-valued `event` in the speaker's own words, so nothing said is lost and nothing current is overturned by a retelling.
 */
import type { Finding } from './claim-draft.ts';
import type { Clause } from './clauses.ts';
import { toEvent } from './happenings.ts';
import type { Sentence } from './language.ts';

/** A finding with the sentence that says it. */
export interface Found {
  finding: Finding;
  sentence: Sentence;
  /** Present for a change: the clause an `event` is made from. */
  clause?: Clause;
}

interface SlotHistory {
  /** Values of changes met so far, in their order. */
  values: Set<string>;
  /** The last place in the text where the slot is given a value that is not an end. */
  lastValueAt: number;
  /** The latest event of such a value. */
  latestStartMs: number;
}

// A text that tells of more changes of one slot than this is no person's; the bound keeps the comparison linear.
const VALUES_COMPARED_MAX = 32;

/**
 * A change passes when it is dated, is no retelling of an earlier change with only "just" for a date, and, if it ends a
 * slot, when the same text does not say what came after (the end and the new value would contest each other).
 */
export function guardChanges(found: readonly Found[]): Found[] {
  const histories = new Map<string, SlotHistory>();
  for (const [index, { finding }] of found.entries()) {
    const history = findHistory(histories, finding);
    if (finding.value === '') continue;
    history.lastValueAt = index;
    history.latestStartMs = Math.max(history.latestStartMs, finding.event?.startMs ?? -Infinity);
  }
  return found.map((item, index) => {
    const { finding, clause } = item;
    if (clause === undefined) return item;
    const history = findHistory(histories, finding);
    const isRetold =
      finding.event?.from !== 'text' && [...history.values].some((value) => overlaps(value, finding.value));
    if (history.values.size < VALUES_COMPARED_MAX) history.values.add(finding.value);
    const startMs = finding.event?.startMs ?? Infinity;
    const isReplaced = finding.value === '' && (history.lastValueAt > index || history.latestStartMs >= startMs);
    if (finding.event !== undefined && !isRetold && !isReplaced) return item;
    const event = toEvent(clause, { rule: finding.rule, confidence: 0.5 });
    return {
      sentence: item.sentence,
      finding: finding.event === undefined ? event : { ...event, event: finding.event },
    };
  });
}

function findHistory(histories: Map<string, SlotHistory>, finding: Finding): SlotHistory {
  const key = JSON.stringify([finding.entity, finding.attribute]);
  const history = histories.get(key) ?? { values: new Set(), lastValueAt: -1, latestStartMs: -Infinity };
  histories.set(key, history);
  return history;
}

/** At least half of the words of the shorter value stand in the other; two ends are always the same. */
function overlaps(a: string, b: string): boolean {
  const first = new Set(a.toLowerCase().split(' '));
  const second = new Set(b.toLowerCase().split(' '));
  const shared = [...first].filter((word) => second.has(word)).length;
  return shared * 2 >= Math.min(first.size, second.size);
}
