/**
 * Negative twins: the same write with one named clause of its condition taken out. A test that shows a clause refusing
 * something shows beside it that without the clause the same thing goes through.
 */
import type { Write } from '../../schema/request.ts';

const TOKEN = /[#:][A-Za-z0-9_]+/g;

/** The clauses of a write's condition, in order, as `schema/request.ts` joined them; none for an unconditional write. */
export function clausesOf(write: Write): string[] {
  const condition = write.input.ConditionExpression ?? '';
  const clauses: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < condition.length; at++) {
    if (condition[at] === '(' && depth++ === 0) start = at + 1;
    if (condition[at] === ')' && --depth === 0) clauses.push(condition.slice(start, at));
  }
  return clauses;
}

function keepUsed<V>(given: Record<string, V> | undefined, tokens: ReadonlySet<string>): Record<string, V> | undefined {
  const kept = Object.entries(given ?? {}).filter(([token]) => tokens.has(token));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/**
 * The write without that clause, and without the names and values that only the clause used, which DynamoDB refuses.
 * Throws when the write has no such clause: a twin that takes nothing out would test nothing.
 */
export function withoutClause(write: Write, clause: string): Write {
  const clauses = clausesOf(write);
  if (!clauses.includes(clause)) {
    throw new Error(`the write has no clause "${clause}" to take out; its clauses: ${clauses.join(' | ') || 'none'}`);
  }
  const condition = clauses
    .filter((other) => other !== clause)
    .map((other) => `(${other})`)
    .join(' AND ');
  const update = write.kind === 'update' ? (write.input.UpdateExpression ?? '') : '';
  const tokens = new Set(`${condition} ${update}`.match(TOKEN));
  const {
    ConditionExpression: _condition,
    ReturnValuesOnConditionCheckFailure: _returns,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ...rest
  } = write.input;
  const keptNames = keepUsed(names, tokens);
  const keptValues = keepUsed(values, tokens);
  const input = {
    ...rest,
    ...(condition !== '' && {
      ConditionExpression: condition,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }),
    ...(keptNames && { ExpressionAttributeNames: keptNames }),
    ...(keptValues && { ExpressionAttributeValues: keptValues }),
  };
  return { ...write, input } as Write;
}
