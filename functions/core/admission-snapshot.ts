/** What admission is planned from: loaded whole before, bounded, and only data. */
import type { LedgerEntry } from '../../schema/ledger.ts';
import type { Origin } from '../../schema/origin.ts';
import type { Settings } from '../../schema/settings.ts';
import type { Backlog } from './backlog.ts';
import type { ProviderVerdict } from './provider.ts';
import type { BudgetLeft } from './budget.ts';

export interface RunningPass {
  readonly passId: string;
  readonly entry: LedgerEntry;
}

export interface Candidate {
  readonly scope: string;
  readonly generation: number;
  readonly settings: Settings;
  readonly dueAtMs: number;
  readonly paused: boolean;
  readonly haltedAtMs: number | undefined;
  readonly backOffUntilMs: number | undefined;
  readonly backlog: Backlog;
  /** Since when the oldest attention is open; absent: none is, or the executor decides none. */
  readonly attentionSinceMs?: number | undefined;
  /** What the budgets of the day leave; absent: nothing binds. */
  readonly budget?: BudgetLeft | undefined;
  readonly request: {
    readonly triggerId: string;
    readonly origin: Origin;
    readonly kind: string;
    /** Passes a drain asks for. */
    readonly parallel?: number | undefined;
  };
}

export interface AdmissionSnapshot {
  readonly pausedAll: boolean;
  readonly running: readonly RunningPass[];
  readonly candidates: readonly Candidate[];
  /** Name of the executor the deployment is configured with; undefined: none that is known. */
  readonly executor: string | undefined;
  /** Absent: none is needed. */
  readonly provider?: ProviderVerdict;
}
