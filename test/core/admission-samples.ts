/** Candidates and running passes as the tests of admission make them: each with what it does not say at rest. */
import type { AdmissionSnapshot, Candidate, RunningPass } from '../../functions/core/admission-snapshot.ts';
import type { PassKind } from '../../schema/kind.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../schema/settings.ts';

export const NOW = Date.UTC(2026, 0, 1);
export const BACKLOG = { sources: 3, tokens: 900, capped: false, continuations: false, held: false };
export const KINDS: readonly PassKind[] = [
  { name: 'incremental', shares: true, parallelMax: 16, lane: 'incremental' },
  { name: 'alone', shares: false, parallelMax: 1, lane: 'incremental' },
  { name: 'pair', shares: true, parallelMax: 2, lane: 'incremental' },
];

export function settings(over: Partial<Settings> = {}): Settings {
  return { ...DEFAULT_SETTINGS, ...over };
}

export function candidate(over: Partial<Candidate> = {}): Candidate {
  return {
    scope: 'a',
    generation: 1,
    settings: settings(),
    dueAtMs: NOW,
    paused: false,
    haltedAtMs: undefined,
    backOffUntilMs: undefined,
    backlog: BACKLOG,
    request: { triggerId: `t-${over.scope ?? 'a'}`, origin: 'schedule', kind: 'incremental' },
    ...over,
  };
}

export function running(scope: string, slotNumber: number, kind = 'incremental'): RunningPass {
  const entry = {
    scope,
    generation: 1,
    kind,
    slotNumber,
    triggerId: 'x',
    origin: 'schedule',
    admittedAtMs: NOW,
    op: 'o',
  } as const;
  return { passId: `${scope}-${kind}-${slotNumber}`, entry };
}

export function snapshot(over: Partial<AdmissionSnapshot> = {}): AdmissionSnapshot {
  return { pausedAll: false, running: [], candidates: [candidate()], executor: 'stub', ...over };
}

export const asked = (origin: 'trigger' | 'drain' | 'continuation' | 'schedule', over: object = {}) => ({
  request: { triggerId: 't', origin, kind: 'incremental', ...over },
});
