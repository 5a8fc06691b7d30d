/**
 * What the next tick would do, from a snapshot that `GET /v1/status?snapshot=1` gives: the same decisions as the
 * scheduler's, with settings changed where that is asked for. No text is in it: names of scopes, numbers and times.
 */
import { triggerIdOf } from '../../schema/ids.ts';
import { DEFAULT_SETTINGS, type SettingOverrides, type Settings } from '../../schema/settings.ts';
import { planAdmissions } from './admission.ts';
import type { Candidate } from './admission-snapshot.ts';
import { judgeDue } from './backlog.ts';
import type { ScopeSnapshot, TickSnapshot } from './tick-snapshot.ts';

export interface PreviewLine {
  readonly scope: string;
  /** `waits`: for a batch, a waiting time or a lease; `empty`: nothing is there to take. */
  readonly verdict: 'admitted' | 'refused' | 'waits' | 'empty';
  readonly passes: readonly { readonly passId: string; readonly slotNumber: number; readonly attention: boolean }[];
  /** Reasons, with the sentence behind each. */
  readonly because: readonly string[];
  /** When it is looked at again, where that is known. */
  readonly againAtMs?: number;
}

function candidateOf(seen: ScopeSnapshot, set: SettingOverrides, takenAtMs: number): Candidate {
  const { scope, generation, dueAtMs, paused, haltedAtMs, backOffUntilMs, backlog, attentionSinceMs, budget } = seen;
  const triggerId = triggerIdOf(takenAtMs, `preview ${scope}`);
  return {
    scope,
    generation,
    settings: { ...DEFAULT_SETTINGS, ...seen.settings, ...set } as Settings,
    dueAtMs,
    paused,
    haltedAtMs,
    backOffUntilMs,
    backlog,
    attentionSinceMs,
    budget,
    request: { triggerId, origin: 'schedule', kind: 'incremental' },
  };
}

const sentence = (refusal: { reason: string; message: string }): string => `${refusal.reason}: ${refusal.message}`;

function describeWait({ backlog: { sources, tokens, held, nextAtMs }, settings }: Candidate): string {
  if (sources > 0) return `${sources} sources of ${tokens} tokens wait for a batch of ${settings.batchTokens}`;
  if (held) return 'others hold all that is left';
  return nextAtMs === undefined ? 'its passes are at all that is left' : 'all that is left waits for its time';
}

/** One line a scope, in the order of the snapshot. `set` replaces settings everywhere, as if every scope had them. */
export function previewTick(snapshot: TickSnapshot, set: SettingOverrides = {}): PreviewLine[] {
  const { takenAtMs, pausedAll, running, executor, provider = { kind: 'none' } } = snapshot;
  const judged = snapshot.scopes.map((scope) => {
    const candidate = candidateOf(scope, set, takenAtMs);
    const isParked = scope.paused || scope.haltedAtMs !== undefined;
    const due =
      isParked || pausedAll
        ? undefined
        : judgeDue(candidate.backlog, candidate.settings, scope.waitingSinceMs, takenAtMs, scope.attentionSinceMs);
    return { candidate, due };
  });
  const candidates = judged.filter(({ due }) => due === undefined || due.kind === 'serve').map((it) => it.candidate);
  const maxConcurrentPasses = set.maxConcurrentPasses ?? snapshot.maxConcurrentPasses;
  const maxModelConcurrency = set.maxModelConcurrency ?? snapshot.maxModelConcurrency;
  const limits = { maxConcurrentPasses, ...(maxModelConcurrency !== undefined && { maxModelConcurrency }) };
  const plan = planAdmissions({ pausedAll, running, candidates, executor, provider }, limits, takenAtMs);
  return judged.map(({ candidate, due }): PreviewLine => {
    const { scope } = candidate;
    if (due?.kind === 'empty') return { scope, verdict: 'empty', passes: [], because: ['nothing waits'] };
    if (due?.kind === 'defer') {
      return { scope, verdict: 'waits', passes: [], because: [describeWait(candidate)], againAtMs: due.untilMs };
    }
    const verdict = plan.verdicts.find((it) => it.candidate === candidate);
    const passes = (verdict?.admitted ?? []).map(({ passId, slotNumber, attention }) => ({
      passId,
      slotNumber,
      attention,
    }));
    const retryAtMs = verdict?.refused[0]?.retryAtMs;
    return {
      scope,
      verdict: passes.length > 0 ? 'admitted' : 'refused',
      passes,
      because: (verdict?.refused ?? []).map(sentence),
      ...(retryAtMs !== undefined && { againAtMs: retryAtMs }),
    };
  });
}
