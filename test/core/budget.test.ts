import { describe, expect, it } from 'vitest';
import { planAdmissions, withdrawPasses } from '../../functions/core/admission.ts';
import type { Candidate } from '../../functions/core/admission-snapshot.ts';
import { findOrphans, weighBudget } from '../../functions/core/budget.ts';
import { EMPTY_LEDGER } from '../../schema/ledger.ts';
import { refuse } from '../../schema/refusal.ts';
import { DEFAULT_SETTINGS } from '../../schema/settings.ts';
import { type UsageItem, usageItemSchema } from '../../schema/usage.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const MIDNIGHT = Date.UTC(2026, 0, 2);
const MODEL = { name: 'model', spends: true, needsProvider: true, decidesAttention: true };
const RULES = { name: 'rules', spends: false, needsProvider: false, decidesAttention: false };
const settings = { ...DEFAULT_SETTINGS, budgetPasses: 10, budgetTokensIn: 100_000, budgetTokensOut: 60_000 };
const used = (over: Partial<UsageItem> = {}): UsageItem => usageItemSchema.parse({ v: 1, day: '2026-01-01', ...over });
const left = (usage: UsageItem | undefined, executor = RULES, over = {}) =>
  weighBudget(usage, { ...settings, ...over }, executor, NOW);

describe('what the budgets of a day leave', () => {
  it.each([
    ['nothing used', undefined, RULES, {}, 10, '0 of 10 passes'],
    ['passes used', used({ passes: 7 }), RULES, {}, 3, '7 of 10 passes'],
    ['more used than there is', used({ passes: 12 }), RULES, {}, 0, '12 of 10 passes'],
    ['tokens of a model', used({ tokensIn: 50_000 }), MODEL, {}, 2, '50000 of 100000 tokens read'],
    ['tokens a rule does not need', used({ tokensIn: 500_000 }), RULES, {}, 10, 'passes'],
    ['what was written', used({ tokensOut: 60_000 }), MODEL, {}, 0, 'tokens written'],
    ['money, where it is bound', used({ costMicroUsd: 50_000 }), MODEL, { budgetCents: 5 }, 0, 'dollar'],
    ['money, where it is not', used({ costMicroUsd: 50_000 }), MODEL, {}, 4, 'tokens read'],
  ])('%s', (_, usage, executor, over, passes, words) => {
    expect(left(usage, executor, over)).toMatchObject({ passes, resetAtMs: MIDNIGHT });
    expect(left(usage, executor, over).tightest).toContain(words);
  });

  it('orphans are those in no ledger whose time is over', () => {
    const of = (expiresAtMs: number) => ({ tokensIn: 1, tokensOut: 1, costMicroUsd: 0, expiresAtMs, op: 'o' });
    const usage = used({ reserved: { old: of(NOW - 1), young: of(NOW), listed: of(NOW - 1) } });
    const ledger = { ...EMPTY_LEDGER, passes: { listed: {} as never } };
    expect(findOrphans(usage, ledger, NOW)).toEqual(['old']);
  });
});

describe('a plan', () => {
  const candidate = (passes: number, parallel = 8): Candidate => ({
    scope: 'a',
    generation: 1,
    settings: { ...settings, maxPassesPerScope: 16 },
    dueAtMs: NOW,
    paused: false,
    haltedAtMs: undefined,
    backOffUntilMs: undefined,
    backlog: { sources: 50, tokens: 9, capped: true, continuations: false, held: false },
    budget: { passes, tightest: 'all but some', resetAtMs: MIDNIGHT },
    request: { triggerId: 't', origin: 'drain', kind: 'incremental', parallel },
  });
  const plan = (of: Candidate, most = 16) =>
    planAdmissions(
      { pausedAll: false, running: [], candidates: [of], executor: 'x' },
      { maxConcurrentPasses: most },
      NOW,
    );

  it('of 8 passes with 3 left has 3, and says why not more and from when on', () => {
    const [verdict] = plan(candidate(3)).verdicts;
    expect(verdict?.admitted).toHaveLength(3);
    expect(verdict).toMatchObject({ requested: 8, effective: 8, refused: [{ reason: 'budget', retryAtMs: MIDNIGHT }] });
  });

  it('tells of capacity before it tells of the budget', () => {
    const [verdict] = plan(candidate(3), 2).verdicts;
    expect(verdict?.refused.map(({ reason }) => reason)).toEqual(['capacity', 'budget']);
  });

  it('without what was given up has its scope refused, and leaves the others alone', () => {
    const made = plan(candidate(9, 2));
    const [first, second] = made.admitted;
    const refusal = refuse('budget');
    const after = withdrawPasses(made, new Set([String(second?.passId)]), refusal);
    expect(after.admitted).toEqual([first]);
    expect(after.verdicts[0]).toMatchObject({ admitted: [first], refused: [refusal] });
    expect(withdrawPasses(made, new Set(), refusal)).toBe(made);
  });
});
