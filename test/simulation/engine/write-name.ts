/** Which builder of `schema/` a write came from: read from its key and its expression, for traces, coverage and mutants. */
import type { Write } from '../../../schema/request.ts';

const PUTS: readonly (readonly [RegExp, string])[] = [
  [/^EVIDENCE#/, 'evidence:put'],
  [/^PASS#[^#]+$/, 'pass:put'],
  [/#LEASE#/, 'lease-page:put'],
  [/#REVIEW#/, 'review-page:put'],
  [/#CALL#/, 'call-page:put'],
  [/#PROPOSAL#/, 'proposal-page:put'],
  [/^SOURCE#/, 'source:put'],
  [/^CLAIM#/, 'citation:put'],
  [/^ENTITY#/, 'entity:put'],
  [/^TRIGGER$/, 'trigger:put'],
  [/^TEXTLIST#/, 'text-list:put'],
  [/^[0-9]{5}$/, 'text:put'],
  [/^ERASURE#/, 'erasure:open'],
];

/** What a delete takes, by the row; LEASE rows of a pass that is finalized go this way too. */
function nameDelete({ table, input }: Write & { readonly kind: 'delete' }): string {
  const sk = String(input.Key?.sk);
  if (sk.includes('#LEASE#')) return 'lease-page:delete';
  if (table === 'text') return 'text:erase';
  return `${sk.split('#', 1)[0]?.toLowerCase()}:erase`;
}

/** By the text of the expression, then by what tells apart those that share it. */
const named = new Map<string, Map<string, string>>();

function nameUpdate(row: string, text: string, status: string, partition: string): string {
  const sets = (name: string) => text.includes(`#${name} = `);
  switch (row) {
    case 'EVIDENCE':
      if (sets('settledBy')) return 'evidence:settle';
      if (text.includes('#queueKey = #homeKey')) return 'evidence:release';
      if (sets('leasePass')) return 'evidence:lease';
      if (sets('quarantinedAtMs')) return 'evidence:quarantine';
      if (sets('homeKey') && sets('state') && !sets('cursor')) return 'evidence:reopen';
      if (sets('homeKey')) return sets('cursor') ? 'evidence:requeue' : 'evidence:release';
      return 'evidence:obsolete';
    case 'PASS':
      if (status === 'running') return 'pass:start';
      if (status !== '') return `pass:${status}`;
      if (sets('finalizedAtMs')) return 'pass:finalize';
      if (text.includes('#kicks')) return 'pass:kick';
      return sets('counters') ? 'pass:beat' : 'pass:note-invoked';
    case 'SCOPE':
      if (text.includes('#generation = :')) return 'scope:move-on';
      if (sets('counted')) return 'scope:count';
      if (sets('paused') || sets('settings') || text.includes('#paused')) return 'scope:switch';
      if (text.includes('ADD #backlogVersion')) return sets('workDueAtMs') ? 'scope:mark' : 'scope:note';
      if (sets('emptyAtVersion')) return 'scope:empty';
      if (sets('workPartition')) return partition.startsWith('idle') ? 'scope:idle' : 'scope:switch';
      return text.includes('#waitingSinceMs') ? 'scope:serve' : 'scope:defer';
    case 'LEDGER':
      if (text.includes('#passes = if_not_exists')) return 'ledger:switch';
      return text.includes('REMOVE') ? 'ledger:remove' : 'ledger:admit';
    case 'USAGE':
      if (text.includes('#reserved.#pass = :refused')) return 'usage:refuse';
      return text.includes('#reserved.#pass = :settled') ? 'usage:settle' : 'usage:reserve';
    case 'HEAD':
      return 'head:raise';
    case 'CLAIM':
      return sets('withdrawnFor') ? 'citation:empty' : 'citation:add-pass';
    case 'ERASURE':
      if (sets('liftedAtMs')) return 'erasure:lift';
      return sets('isUnderWay') ? 'erasure:save' : 'erasure:hasten';
    case 'SOURCE':
      return sets('crashes') ? 'source:note-crash' : 'source:complete';
    case 'RETRIES':
      return 'retries:count';
    case 'ENTITY':
    case 'ATTENTION':
      return `${row.toLowerCase()}:update`;
    default:
      if (sets('refusal')) return 'trigger:refusal';
      return sets('outcome') ? 'trigger:outcome' : 'trigger:rebind';
  }
}

export function nameOfWrite(write: Write): string {
  if (write.kind === 'put') {
    const sk = write.input.Item?.sk as string;
    if (write.input.Item?.erasedAtMs !== undefined) return 'source:tombstone';
    return PUTS.find(([pattern]) => pattern.test(sk))?.[1] ?? 'other:put';
  }
  if (write.kind === 'delete') return nameDelete(write);
  const { Key, UpdateExpression: text = '', ExpressionAttributeValues: values = {} } = write.input;
  const row = String(Key?.sk).split('#', 1)[0] ?? '';
  const textOf = (name: string): string => (typeof values[name] === 'string' ? values[name] : '');
  const [status, partition] = [textOf(':set_status'), textOf(':set_workPartition')];
  let ofText = named.get(text);
  if (!ofText) named.set(text, (ofText = new Map()));
  const identity = `${row} ${status} ${partition}`;
  let name = ofText.get(identity);
  if (name === undefined) ofText.set(identity, (name = nameUpdate(row, text, status, partition)));
  return name;
}

/** What is asked for of one row, for scenes in which reads are slow. */
export const nameOfGet = (sk: string): string => `${sk.split('#', 1)[0]?.toLowerCase()}:get`;
