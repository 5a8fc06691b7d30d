/** What the tools of one running pass share: which pass it is, what it holds, and what it has counted. */
import type { PassCounters, PassItem } from '../../schema/pass.ts';
import type { WorkerDeps } from './deps.ts';
import type { HeldSources } from './held-sources.ts';
import type { Proposals } from './proposals.ts';
import type { ReviewRows } from './review-rows.ts';
import type { Leasing } from './take-page.ts';

export interface StartedPass {
  readonly pass: PassItem;
  readonly attempt: string;
  readonly startedAtMs: number;
  readonly deadlineAtMs: number;
}

export interface Reading {
  readonly deps: WorkerDeps;
  readonly started: StartedPass;
  readonly leasing: Leasing;
  readonly held: HeldSources;
  readonly reviews: ReviewRows;
  readonly counters: PassCounters;
  /** Of a dry run: takes down what it would write, in place of leases, acknowledgements and claims. */
  readonly proposals?: Proposals;
  /** Spellings of entities this pass made known already. */
  readonly knownEntities: Set<string>;
  /** By slug, the highest word on its type that this pass wrote. */
  readonly knownTypes: Map<string, string>;
  /** A page came back empty because nothing was left that this pass could have taken. */
  sawEmptyQueue: boolean;
  /** Says that the pass lives. Throws PassLostError when it is no longer this attempt's. */
  mustLive(): Promise<void>;
  /** Asked before every write of a long call: throws when the pass was lost or has ended, and writes nothing more. */
  readonly mustBeOpen: () => void;
}
