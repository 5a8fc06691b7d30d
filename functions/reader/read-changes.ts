/**
 * Reads what a pass changed in its scope, as a list one can read: claim slot by claim slot, what it added, replaced,
 * ended or confirmed, against what stands without it. There is no index of a pass's citations, because it would cost
 * every citation a second write: so the citations of the scope are read through, page by page.
 */
import type { ScopeAddress } from '../../schema/citation.ts';
import { passIdSchema } from '../../schema/ids.ts';
import { isDryRun } from '../../schema/kind.ts';
import { LIMITS } from '../../schema/limits.ts';
import { getPass, passItemSchema } from '../../schema/pass.ts';
import { describePass } from '../core/slot-change.ts';
import { HttpError } from '../io/http.ts';
import { readClaimSlots } from '../io/slot-rows.ts';
import { changeBody, type ChangeBody } from './change-body.ts';
import { type ContestBody, contestBody } from './contest-body.ts';
import type { ReaderDeps } from './deps.ts';
import { readProposals } from './read-proposals.ts';
import { decodeCursor, encodeCursor, refuseCursor } from '../io/page-cursor.ts';
import { loadPagedScope } from './row-page.ts';

export interface ChangesAnswer {
  readonly scope: string;
  readonly known: boolean;
  readonly pass: string;
  /** It was a dry run: this is what it would have changed, against what stands now. */
  readonly dryRun?: true;
  readonly changes: readonly ChangeBody[];
  /** What is contested by it, and would not be without. */
  readonly contested: readonly ContestBody[];
  /** Present when there may be more. */
  readonly cursor?: string;
}

const CHANGES_PER_PAGE_MAX = 500;

/** One page of a pass's changes. Throws a 400 for a malformed id and for a cursor of another query. */
export async function readChanges(
  deps: ReaderDeps,
  scope: string,
  { passId, cursor }: { readonly passId: string; readonly cursor?: string | undefined },
): Promise<ChangesAnswer> {
  const parsed = passIdSchema.safeParse(passId);
  if (!parsed.success) throw new HttpError(400, 'invalid_request', parsed.error.issues[0]?.message ?? 'no pass id');
  const from = cursor === undefined ? undefined : decodeCursor(cursor);
  if (from !== undefined && !/^[\x20-\x7e]{1,1000}$/.test(from)) throw refuseCursor();
  const row = await loadPagedScope(deps, scope, cursor);
  if (!row) return { scope, known: false, pass: passId, changes: [], contested: [] };
  const address: ScopeAddress = { scope, generation: row.generation };
  const pass = passItemSchema.safeParse(await deps.store.get(getPass({ ...address, passId }))).data;
  if (pass && isDryRun(pass.kind)) return readProposals(deps, pass, from);
  const changes: ChangeBody[] = [];
  const contested: ContestBody[] = [];
  let passed: string | undefined;
  const rowsPerQuery = LIMITS.claimRowsPerPageMax;
  for await (const { slot, citations, position, rowsRead } of readClaimSlots(
    deps.store,
    address,
    { rowsPerQuery },
    from,
  )) {
    const isFull =
      changes.length >= CHANGES_PER_PAGE_MAX || rowsRead - citations.length >= LIMITS.curatedRowsPerCallMax;
    if (isFull && passed !== undefined) {
      return { scope, known: true, pass: passId, changes, contested, cursor: encodeCursor(passed) };
    }
    passed = position;
    if (!citations.some((citation) => citation.passes[passId] !== undefined)) continue;
    const described = describePass(slot, citations, passId);
    changes.push(...described.changes.map(changeBody));
    contested.push(...described.contests.map(({ details }) => contestBody(details)));
  }
  return { scope, known: true, pass: passId, changes, contested };
}
