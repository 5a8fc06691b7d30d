/** Makers of findings: a state that holds, a thing among many, a change that must pass its guards. */
import type { EventInterval, Finding } from './claim-draft.ts';
import { findChangeTime, findSinceTime } from './clause-times.ts';
import type { Clause } from './clauses.ts';

/** What a rule adds to a finding: `rule` is its name and version, for instance `speaks@1`. */
export interface Said {
  attribute: string;
  value: string;
  rule: string;
  confidence: number;
  entity?: string;
}

/** One value at a time, as it is now; dated only by "since". */
export function toState(clause: Clause, said: Said): Finding {
  return withEvent(make(clause, said, 'one'), findSinceTime(clause));
}

/** One of many values; dated only by "since". */
export function toMember(clause: Clause, said: Said): Finding {
  return withEvent(make(clause, said, 'many'), findSinceTime(clause));
}

/** One of many values that something made true: dated by the time of that. */
export function toGain(clause: Clause, said: Said): Finding {
  return withEvent(make(clause, said, 'many'), findChangeTime(clause));
}

/** A new value of a claim slot that holds one: without a date, or retold, the guards make it an event. */
export function toChange(clause: Clause, said: Said): Finding {
  return withEvent({ ...make(clause, said, 'one'), change: true }, findChangeTime(clause));
}

function make(clause: Clause, { entity, rule, ...said }: Said, cardinality: 'one' | 'many'): Finding {
  return { entity: entity ?? clause.entity, cardinality, ...said, rule: `rules-en/${rule}` };
}

function withEvent(finding: Finding, event: EventInterval | undefined): Finding {
  return event === undefined ? finding : { ...finding, event };
}
