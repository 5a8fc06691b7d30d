/** What must hold of dry runs: nothing changes by them but their own rows, and these name what a pass would have written. */
import { makeCitation } from '../../../functions/core/claims.ts';
import type { EvidencePage, Executor, ReviewAnswer, ReviewItem } from '../../../functions/worker/executor/executor.ts';
import { parseSourceRef, type SourceRef, sourceKeyOf } from '../../../schema/ids.ts';
import { isDryRun } from '../../../schema/kind.ts';
import type { PassItem } from '../../../schema/pass.ts';
import { proposalPageSchema } from '../../../schema/proposal.ts';
import type { Actor } from '../engine/actor.ts';
import type { Change } from '../engine/tables.ts';
import { claimsIn } from '../executors/turn-claims.ts';
import type { World } from '../engine/world.ts';

/** Beside its own row: what it asked and what it found, its place and the provider's health, and what it spent. */
const ITS_OWN = /^(?:PASS#[^#]+(?:#(?:CALL|PROPOSAL)#\d+)?|LEDGER|USAGE#.*)$/;

interface Watched {
  /** Ids of the citations that its pages say. */
  readonly said: Set<string>;
  /** … and of those in calls that were answered. */
  readonly told: Set<string>;
  /** When each of its sources was captured, as it was told. */
  readonly capturedAtMs: Map<string, number>;
  readonly given: Set<string>;
  /** An erasure took some of its pages. */
  isErased: boolean;
}

export class DryRunInvariants {
  readonly #world: World;
  readonly #watched = new Map<string, Watched>();

  constructor(world: World) {
    this.#world = world;
  }

  #fail(invariant: string, found: string): void {
    this.#world.kernel.fail(invariant, found);
  }

  isDryRun(passId: string | undefined): boolean {
    return passId !== undefined && this.#watched.has(passId);
  }

  onChange({ table, pk, sk, before, after }: Change, actor: Actor | undefined): void {
    if (table === 'control' && sk.startsWith('PASS#') && after && isDryRun(String(after.kind)))
      this.#onPass(pk, before as PassItem | undefined, after as unknown as PassItem);
    if (before && !after && sk.includes('#PROPOSAL#')) this.#onPageGone(sk);
    const passId = actor?.passId;
    if (!this.isDryRun(passId)) return;
    const isOthersPass = sk.startsWith('PASS#') && sk.split('#')[1] !== passId;
    if (table === 'control' && ITS_OWN.test(sk) && !isOthersPass) return;
    this.#fail('a dry run writes nothing', `${actor?.label} works for the dry run ${passId} and writes ${sk}`);
  }

  #onPageGone(sk: string): void {
    const watched = this.#watched.get(sk.split('#')[1] ?? '');
    if (watched) watched.isErased = true;
  }

  #onPass(pk: string, before: PassItem | undefined, { passId, status }: PassItem): void {
    if (!before) {
      this.#watched.set(passId, {
        said: new Set(),
        told: new Set(),
        capturedAtMs: new Map(),
        given: new Set(),
        isErased: false,
      });
    } else if (status === 'completed' && before.status !== 'completed') this.#checkProposals(pk, passId);
  }

  /** What it took down is what its pages say, and all that it was answered for. */
  #checkProposals(pk: string, passId: string): void {
    const { said, told, isErased } = this.#watched.get(passId) as Watched;
    const rows = this.#world.tables.list(pk, `PASS#${passId}#PROPOSAL#`).map((row) => proposalPageSchema.parse(row));
    const proposed = new Set(rows.flatMap(({ citations }) => citations.map(({ citationId }) => citationId)));
    const unsaid = [...proposed].find((id) => !said.has(id));
    const missing = [...told].find((id) => !proposed.has(id));
    // What an executor that means ill is answered for is looked at where that is watched.
    if (this.#world.plan.hostile) return;
    if (unsaid !== undefined)
      this.#fail('a dry run tells what it would write', `${passId} proposes ${unsaid}, which nothing says`);
    if (missing !== undefined && !isErased)
      this.#fail('a dry run tells what it would write', `${passId} does not propose ${missing}`);
    this.#world.count('a dry run tells what it would write', proposed.size);
  }

  onPage({ passId = '', scope = '' }: Actor, { items }: EvidencePage): void {
    const { said, capturedAtMs, given } = this.#watched.get(passId) as Watched;
    for (const item of items) {
      const { source, start, text } = item;
      const ref = parseSourceRef(source) as SourceRef;
      if (!this.#world.tables.peek(`SCOPE#${scope}#1`, `EVIDENCE#incremental#${sourceKeyOf(ref)}`)) {
        this.#fail('I12 isolation', `${passId} was given ${source}, which scope ${scope} has not`);
      }
      if (given.has(`${source} ${start}`)) this.#fail('I11 pages', `the dry run ${passId} was given ${source} twice`);
      given.add(`${source} ${start}`);
      capturedAtMs.set(source, item.capturedAtMs);
      for (const draft of claimsIn(item, text)) said.add(this.#citationId(passId, source, draft));
    }
  }

  #citationId(passId: string, source: string, draft: ReturnType<typeof claimsIn>[number]): string {
    const capturedAtMs = this.#watched.get(passId)?.capturedAtMs.get(source) ?? 0;
    const ref = parseSourceRef(source) as SourceRef;
    return makeCitation({ draft, source: ref, capturedAtMs, executor: 'stub', recordedAtMs: 0 }).citationId;
  }

  /** The executor with an ear at what it is answered. */
  listen({ passId = '' }: Actor, executor: Executor): Executor {
    return {
      name: executor.name,
      run: (tools, context) => {
        const reviewEvidence: typeof tools.reviewEvidence = async (items) => {
          const answer = await tools.reviewEvidence(items);
          this.#onReviewed(passId, items, answer);
          return answer;
        };
        const heard: typeof tools = {
          searchEvidence: (search) => tools.searchEvidence(search),
          reviewEvidence,
          listAttention: () => tools.listAttention(),
          resolveAttention: (decision) => tools.resolveAttention(decision),
        };
        return executor.run(heard, context);
      },
    };
  }

  /** Where a claim of a call was left out, as it had been forgotten, nobody is told which. */
  #onReviewed(passId: string, items: readonly ReviewItem[], { claimsWritten, refused }: ReviewAnswer): void {
    const claims = items.flatMap(({ source, claims: drafts = [] }) => drafts.map((draft) => ({ source, draft })));
    if (!this.isDryRun(passId) || refused.length > 0 || claimsWritten < claims.length) return;
    for (const { source, draft } of claims)
      this.#watched.get(passId)?.told.add(this.#citationId(passId, source, draft));
  }
}
