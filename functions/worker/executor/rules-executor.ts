/**
 * The built-in rules as an executor: reads page after page, one source at a time, looks at nothing stored, and
 * acknowledges all it was given with the claims it found.
 */
import { sliceCharacters } from '../../core/characters.ts';
import type { ClaimDraft } from '../../core/claim-draft.ts';
import type { EvidenceFragment, Executor } from './executor.ts';
import { loadRules, type RulesExtractor } from './rules/extract.ts';

export async function createRules(): Promise<Executor> {
  const rules = await loadRules();
  return {
    name: 'rules',
    async run(tools, { signal }) {
      while (!signal.aborted) {
        const { items } = await tools.searchEvidence({});
        if (items.length === 0) return;
        await tools.reviewEvidence(items.map((item) => ({ source: item.source, claims: claimsIn(rules, item) })));
      }
    },
  };
}

function claimsIn(rules: RulesExtractor, { text, start }: EvidenceFragment): ClaimDraft[] {
  return rules.extractClaims({ text, baseOffset: start }).map(({ event, quote, ...draft }) => ({
    ...draft,
    quote: { ...quote, text: sliceCharacters(text, quote.start - start, quote.end - start) },
    ...(event && { event: { startMs: event.startMs, endMs: event.endMs, precision: event.precision } }),
  }));
}
