/** Addresses and rows the tests of the schema write: each scene gets a scope of its own. */
import { type Citation, NORMALIZATION } from '../../schema/citation.ts';
import { type EvidenceAddress, evidenceAddress, type NewEvidence } from '../../schema/evidence.ts';
import { passIdOf, revisionOf, triggerIdOf } from '../../schema/ids.ts';
import type { LedgerEntry } from '../../schema/ledger.ts';
import type { NewPass } from '../../schema/pass.ts';

export const NOW_MS = Date.UTC(2024, 4, 3, 10);
export const GENERATION = 1;

let count = 0;
/** Unique within a run of one file; every file has tables of its own. */
export function freshOp(): string {
  return `op-${++count}`;
}
export function freshScope(): string {
  return `scope-${++count}`;
}

export function passIdAt(k: number): string {
  return passIdOf(triggerIdOf(NOW_MS, 'sample'), k);
}
export const ME = passIdAt(0);
export const OTHER = passIdAt(1);

const REF = { kind: 'transcript', id: 'sessions/1', revision: revisionOf('hello') } as const;

export function sampleEvidence(scope: string = freshScope()): {
  readonly address: EvidenceAddress;
  readonly evidence: NewEvidence;
} {
  return {
    address: evidenceAddress(scope, GENERATION, 'incremental', REF),
    evidence: { ref: REF, length: 1000, tokens: 250, capturedAtMs: NOW_MS },
  };
}

export function samplePass(scope: string = freshScope(), passId: string = ME): NewPass {
  return {
    scope,
    generation: GENERATION,
    passId,
    kind: 'incremental',
    lane: 'incremental',
    slotNumber: 0,
    triggerId: triggerIdOf(NOW_MS, 'sample'),
    origin: 'trigger',
    pageSources: 20,
    pageCharacters: 32_000,
    passTimeoutMs: 300_000,
    executor: 'rules',
    admittedAtMs: NOW_MS,
  };
}

export function sampleEntry(op: string, slotNumber = 0): LedgerEntry {
  return {
    scope: 'scope-a',
    generation: GENERATION,
    kind: 'incremental',
    slotNumber,
    triggerId: triggerIdOf(NOW_MS, 'sample'),
    origin: 'schedule',
    admittedAtMs: NOW_MS,
    op,
  };
}

export function sampleCitation(change: Partial<Citation> = {}): Citation {
  return {
    normalization: NORMALIZATION,
    slot: { entity: 'ada', attribute: 'lives_in' },
    entityName: 'Ada',
    claimId: 'claim-austin',
    citationId: 'citation-1',
    value: 'Austin',
    quote: { text: 'I live in Austin.', start: 0, end: 17 },
    source: REF,
    capturedAtMs: NOW_MS,
    planned: false,
    recordedAtMs: NOW_MS,
    executor: 'rules',
    ...change,
  };
}
