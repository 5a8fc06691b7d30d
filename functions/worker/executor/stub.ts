/**
 * The executor for tests and benches: asks for pages, reviews them, until the queue is empty; each reply waits. It writes
 * what lines `@claim entity | attribute | value | time?` in a source say, and can be told to misbehave.
 */
import * as z from 'zod';
import type { ClaimDraft } from '../../core/claim-draft.ts';
import { findClaimLines } from './claim-lines.ts';
import type { EvidenceFragment, Executor, Tools } from './executor.ts';

export const stubOptionsSchema = z.strictObject({
  /** What one reply of the imagined model takes, in milliseconds. */
  delayMs: z.int().min(0).max(600_000).default(0),
  /** Sources asked for at once. */
  limit: z.int().min(1).max(50).default(5),
  /** finish: ends at once; silent: never answers; fail: throws after `failAfterPages`. */
  behaviour: z.enum(['review', 'finish', 'silent', 'fail']).default('review'),
  failAfterPages: z.int().min(0).default(0),
  /** What each reply of the imagined model takes. */
  tokensIn: z.int().min(0).default(0),
  tokensOut: z.int().min(0).default(0),
  /** Leaves every n-th page unreviewed; 0: none. */
  unreviewedEvery: z.int().min(0).default(0),
});
export type StubOptions = z.infer<typeof stubOptionsSchema>;

/** Longer than any pass: the abort ends it. */
const SILENCE_MS = 24 * 60 * 60 * 1000;

export function createStub(options: StubOptions): Executor {
  return {
    name: 'stub',
    async run(tools, { signal, sleep, spend }) {
      if (options.behaviour === 'finish') return;
      for (let page = 1; !signal.aborted; page++) {
        if (options.behaviour === 'fail' && page > options.failAfterPages) throw new Error('the stub was told to fail');
        if (options.behaviour === 'silent') await sleep(SILENCE_MS);
        const { items } = await tools.searchEvidence({ limit: options.limit });
        spend({ tokensIn: options.tokensIn, tokensOut: options.tokensOut });
        await sleep(options.delayMs);
        if (items.length === 0) return;
        const unreviewed = options.unreviewedEvery > 0 && page % options.unreviewedEvery === 0;
        if (!unreviewed) await review(tools, items);
        await sleep(options.delayMs);
      }
    },
  };
}

async function review(tools: Tools, items: readonly EvidenceFragment[]): Promise<void> {
  await tools.reviewEvidence(items.map((item) => ({ source: item.source, claims: claimsIn(item) })));
}

function claimsIn({ text, start }: EvidenceFragment): ClaimDraft[] {
  return findClaimLines(text, start);
}
