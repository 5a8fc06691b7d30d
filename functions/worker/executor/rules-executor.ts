/**
 * The built-in rules as an executor: reads page after page, one source at a time, looks at nothing stored, and
 * acknowledges all it was given with the claims it found.
 */
import { LIMITS } from '../../../schema/limits.ts';
import { sliceCharacters } from '../../core/characters.ts';
import type { ClaimDraft } from '../../core/claim-draft.ts';
import type { EvidenceFragment, Executor, Tools } from './executor.ts';
import { loadRules, type RulesExtractor } from './rules/extract.ts';

export async function createRules(): Promise<Executor> {
  const rules = await loadRules();
  return {
    name: 'rules',
    async run(tools, { signal }) {
      while (!signal.aborted) {
        const { items } = await tools.searchEvidence({});
        if (items.length === 0) return;
        for (const item of items) await review(rules, tools, item);
      }
    },
  };
}

/** Acknowledges one fragment with its claims, as many a call as one call takes; the last call acknowledges it. */
async function review(rules: RulesExtractor, tools: Tools, item: EvidenceFragment): Promise<void> {
  const claims = claimsIn(rules, item);
  const most = LIMITS.claimsPerCallMax;
  for (let from = most; from < claims.length; from += most) {
    await tools.reviewEvidence([{ source: item.source, through: item.start, claims: claims.slice(from, from + most) }]);
  }
  await tools.reviewEvidence([{ source: item.source, claims: claims.slice(0, most) }]);
}

function claimsIn(rules: RulesExtractor, { text, start, context }: EvidenceFragment): ClaimDraft[] {
  const found = rules.extractClaims({ text, baseOffset: start, ...(context !== undefined && { context }) });
  return found.map(({ event, quote, ...draft }) => ({
    ...draft,
    // The rules find claims of speakers, people known by name, and kin.
    entityType: 'person' as const,
    quote: { ...quote, text: sliceCharacters(text, quote.start - start, quote.end - start) },
    ...(event && { event: { startMs: event.startMs, endMs: event.endMs, precision: event.precision } }),
  }));
}
