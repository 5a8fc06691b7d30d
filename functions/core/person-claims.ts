/**
 * What a person says to the memory itself, as a citation like any other: it is cited from the person, at the time they
 * said it, so that it takes part in the same order, is undone by withdrawing it, and shows in the history.
 */
import { type Citation, type EventTime, NORMALIZATION } from '../../schema/citation.ts';
import { revisionOf } from '../../schema/ids.ts';
import { countCharacters } from './characters.ts';
import { citationIdOf, claimIdOf, isPlanned, slotOf } from './claims.ts';

export interface Statement {
  /** Name of whom or what it is about. */
  readonly entity: string;
  readonly attribute: string;
  readonly cardinality: 'one' | 'many';
  /** Empty: the claim slot ends; then `ends` names the value of a many-valued attribute. */
  readonly value: string;
  readonly ends?: string | undefined;
  readonly event?: EventTime | undefined;
  readonly author: string;
  readonly reason?: string | undefined;
  /** When they said it, epoch milliseconds. The same statement at the same time is one citation. */
  readonly saidAtMs: number;
  /** `states`: one claim among others. `protects`: it also stands above what sources say. `retracts`: it is wrong. */
  readonly mode: 'states' | 'protects' | 'retracts';
}

const PERSON = 'person';

/** What is quoted: the reason in their own words where they gave one, else the claim they made. */
function quoteOf({ entity, attribute, value, ends, reason, mode }: Statement): string {
  if (reason !== undefined) return reason;
  const said = value === '' ? `no longer${ends === undefined ? '' : ` ${ends}`}` : value;
  return `${entity} ${attribute}: ${mode === 'retracts' ? 'not ' : ''}${said}`;
}

/** The citation a statement becomes. Its revision stands for what was said and when. */
export function makeStatement(statement: Statement, recordedAtMs: number): Citation {
  const { entity, value, event, author, reason, saidAtMs, mode } = statement;
  const slot = slotOf(statement);
  const text = quoteOf(statement);
  const citation = {
    normalization: NORMALIZATION,
    slot,
    entityName: entity.trim(),
    claimId: claimIdOf(slot, value),
    value,
    quote: { text, start: 0, end: countCharacters(text) },
    source: { kind: PERSON, id: author, revision: revisionOf(`${saidAtMs}\n${text}`) } as const,
    capturedAtMs: saidAtMs,
    ...(event && { event }),
    planned: mode !== 'retracts' && isPlanned(event, saidAtMs),
    ...(mode === 'protects' && { protects: true }),
    ...(mode === 'retracts' && { retracts: true }),
    ...(reason !== undefined && { reason }),
    recordedAtMs,
    executor: PERSON,
  };
  return { ...citation, citationId: citationIdOf(citation) };
}
