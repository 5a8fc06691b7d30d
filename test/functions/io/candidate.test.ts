/** Goal: what is listed of a scope tells whether its queue may hold more than it shows. Method: ledgers of one entry. */
import { afterAll, describe, expect, it } from 'vitest';
import { loadCandidate } from '../../../functions/io/candidate.ts';
import type { LedgerEntry, LedgerItem } from '../../../schema/ledger.ts';
import type { ScopeItem } from '../../../schema/scope.ts';
import { createTestStore } from '../../support/tables.ts';
import { passIdAt, sampleEntry } from '../../schema/samples.ts';

const tables = createTestStore();
afterAll(() => tables.close());

/** Whether a scope whose queue shows nothing is said to be read by what its ledger lists. */
async function isRead(listed: Partial<LedgerEntry>): Promise<boolean> {
  const entry = { ...sampleEntry('op'), scope: 's', generation: 2, kind: 'incremental', ...listed };
  const deps = {
    store: tables.store,
    clock: { nowMs: () => 0 },
    deploymentSettings: {},
    executor: 'stub',
  };
  const scope = { scope: 's', generation: 2, workDueAtMs: 0, failures: 0, failureTimesMs: [] } as unknown as ScopeItem;
  const ledger = { version: 1, passes: { [passIdAt(0)]: entry } } as unknown as LedgerItem;
  const request = { triggerId: 't', origin: 'schedule', kind: 'incremental' } as const;
  const { backlog } = await loadCandidate(deps, { scope, ledger, request, usage: undefined });
  return backlog.reading === true;
}

describe('a scope whose queue shows nothing', () => {
  it('is read by a listed pass of its generation', async () => {
    expect(await isRead({})).toBe(true);
  });

  it.each([
    ['another scope', { scope: 'other' }],
    ['the generation before, which was erased', { generation: 1 }],
    ['a dry run, which takes nothing', { kind: 'dry-run' }],
  ] as const)('is not read by one of %s', async (_, listed) => {
    expect(await isRead(listed)).toBe(false);
  });
});
