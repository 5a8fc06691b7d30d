/** Samples of the builders by which an operator changes what may run, and of the budgets. */
import { decideAttention } from '../../schema/attention-decision.ts';
import { outdatePlans, pauseAll, resumeAll, setLiveSettings } from '../../schema/ledger-switches.ts';
import { noteProviderAway, proveProvider } from '../../schema/provider.ts';
import { queryParkedScopes } from '../../schema/scope.ts';
import { pauseScope, resumeScope, setScopeSettings } from '../../schema/scope-switches.ts';
import { DEFAULT_SETTINGS } from '../../schema/settings.ts';
import { boundsOf, getUsage, refuseUsage, reserveUsage, settleUsage } from '../../schema/usage.ts';
import { PASS_MOVES } from './pass-moves.ts';
import { ME, NOW_MS, samplePass } from './samples.ts';

const op = 'op-1';
const row = { scope: 'scope-a', nowMs: NOW_MS, op };
const settings = { pageSources: 7 };
const usageAddress = { scope: 'scope-a', generation: 1, day: '2024-05-03' };
const amounts = { tokensIn: 1, tokensOut: 1, costMicroUsd: 1 };
const model = { name: 'model', spends: true, needsProvider: true, decidesAttention: true };
const bounds = boundsOf({ ...DEFAULT_SETTINGS, budgetCents: 1 }, model);
const reservation = { passId: ME, amounts, bounds, expiresAtMs: NOW_MS, op };

export const SWITCH_SAMPLES = {
  pauseAll: [pauseAll(op)],
  resumeAll: [resumeAll(op)],
  setLiveSettings: [
    setLiveSettings({ settings, seenVersion: undefined, op }),
    setLiveSettings({ settings, seenVersion: 1, op }),
  ],
  outdatePlans: [outdatePlans(op)],
  queryParkedScopes: [queryParkedScopes()],
  pauseScope: [pauseScope(row)],
  resumeScope: [resumeScope(row)],
  setScopeSettings: [
    setScopeSettings({ ...row, settings, seenVersion: undefined }),
    setScopeSettings({ ...row, settings, seenVersion: 1 }),
  ],
  decideAttention: [
    decideAttention(usageAddress, {
      kind: 'contested',
      subject: 's',
      seenKey: 'k',
      resolution: 'declined: it is no question',
      passId: ME,
      nowMs: NOW_MS,
      op,
    }),
  ],
  proveProvider: [proveProvider({ executor: 'model', nowMs: NOW_MS, op })],
  noteProviderAway: [noteProviderAway({ executor: 'model', nowMs: NOW_MS, untilMs: NOW_MS + 1, op })],
  getUsage: [getUsage(usageAddress)],
  reserveUsage: [
    reserveUsage(usageAddress, { ...reservation, isFirst: true }),
    reserveUsage(usageAddress, { ...reservation, isFirst: false }),
  ],
  refuseUsage: [refuseUsage(usageAddress, { passId: ME, expiresAtMs: NOW_MS, op })],
  settleUsage: [
    settleUsage(usageAddress, {
      passId: ME,
      reserved: { ...amounts, op },
      used: amounts,
      ran: true,
      expiresAtMs: NOW_MS,
      drop: ['p0'],
      op,
    }),
  ],
  cancelPass: [PASS_MOVES.cancelPass(samplePass('scope-a'))],
} as const;
