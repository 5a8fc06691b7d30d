/**
 * The executor of the simulation: reads pages and hands over what their `@claim` lines say. In stormy times it may be
 * slow, fail, say nothing, be away, read in part, or leave pages unread.
 */
import type {
  EvidenceFragment,
  EvidencePage,
  Executor,
  ReviewItem,
  Tools,
} from '../../../functions/worker/executor/executor.ts';
import { countCharacters } from '../../../functions/core/characters.ts';
import type { Faults } from '../engine/faults.ts';
import { decideAttention } from './model.ts';
import type { Random } from '../engine/random.ts';
import { claimsIn } from './turn-claims.ts';

const SILENCE_MS = 24 * 60 * 60 * 1000;
/** No schedule has so many sources that a pass needs more pages. */
const PAGES_MAX = 200;

/** A failure the schedule asked for. */
export class StormError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StormError';
  }
}

export interface ExecutorOptions {
  readonly faults: Faults;
  readonly random: Random;
  readonly delayMs: number;
  readonly limit: number;
  readonly onPage: (page: EvidencePage) => void;
  /** Told when an acknowledgement was answered. */
  readonly onReviewed?: (() => void) | undefined;
  /** Given when it is a model: asks the provider, or throws. */
  readonly ask?: (() => void) | undefined;
  /** Of one request to the model, in millionths of a dollar. */
  readonly costMicroUsd?: number | undefined;
}

/** Acknowledges a fragment up to the end of one of its lines, with the claims of those lines alone. */
function reviewPart(item: EvidenceFragment, random: Random): ReviewItem {
  const { source, start, text } = item;
  const lines = text.split('\n');
  const kept = lines.slice(0, random.int(1, lines.length)).join('\n');
  const isWhole = kept.length === text.length;
  return {
    source,
    claims: claimsIn(item, kept),
    ...(!isWhole && { through: start + countCharacters(kept) + 1 }),
  };
}

export function createSimulatedExecutor(options: ExecutorOptions): Executor {
  const { faults, random, delayMs, limit, onPage, onReviewed, ask, costMicroUsd = 3 } = options;
  const replyMs = (): number => {
    if (faults.hit('executorSlow')) return faults.of('executorSlow').int(5_000, 40_000);
    return random.int(Math.ceil(delayMs / 2), delayMs);
  };
  const review = (tools: Tools, items: readonly EvidenceFragment[]) =>
    tools.reviewEvidence(
      items.map((item) =>
        faults.hit('executorPartial')
          ? reviewPart(item, faults.of('executorPartial'))
          : { source: item.source, claims: claimsIn(item, item.text) },
      ),
    );
  return {
    name: 'stub',
    async run(tools, context) {
      const { signal } = context;
      if (faults.hit('executorAway')) throw new StormError('the provider is away');
      if (ask) {
        ask();
        await decideAttention(tools);
      }
      for (let page = 0; page < PAGES_MAX && !signal.aborted; page++) {
        if (faults.hit('executorFail')) throw new StormError('the executor failed');
        if (faults.hit('executorSilent')) await context.sleep(SILENCE_MS);
        ask?.();
        if (ask) context.spend({ tokensIn: 10, tokensOut: 1, costMicroUsd });
        const answer = await tools.searchEvidence({ limit });
        onPage(answer);
        await context.sleep(replyMs());
        if (answer.items.length === 0) return;
        if (faults.hit('executorSkip')) continue;
        await review(tools, answer.items);
        onReviewed?.();
      }
    },
  };
}
