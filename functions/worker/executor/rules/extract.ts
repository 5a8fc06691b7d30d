/**
 * The built-in extractor `rules`: English, deterministic, offline. Text in, claim drafts out: no clock, no input or
 * output, and nothing but the text given is looked at. Importing this module loads nothing; `loadRules` loads the rules
 * and the language model, once for the process.
 */
import type { ClaimDraft, ExtractInput } from './claim-draft.ts';

export type { ClaimDraft, EventInterval, EventPrecision, ExtractInput } from './claim-draft.ts';

export interface RulesExtractor {
  /** Claims in the order of their quotes. The same input gives the same output on any machine. */
  extractClaims: (input: ExtractInput) => ClaimDraft[];
}

/** Loads the rules and their language model (about a quarter of a second the first time). */
export async function loadRules(): Promise<RulesExtractor> {
  const [{ extractFrom }, { loadLanguage }] = await Promise.all([import('./extraction.ts'), import('./language.ts')]);
  const language = await loadLanguage();
  return { extractClaims: (input) => extractFrom(language, input) };
}
