/**
 * The built-in extractor `rules`: English, deterministic, offline. Text in, claim drafts out: no clock, no input or
 * output, and nothing but the text given is looked at. Importing this module loads nothing; `loadRules` loads the rules
 * and the language model, once for the process.
 */
import type { ClaimDraft } from './claim-draft.ts';

export type { ClaimDraft, EventInterval, EventPrecision } from './claim-draft.ts';

export interface ExtractInput {
  /** The rendered text of a source, or a fragment of it that ends at a paragraph or a sentence. */
  text: string;
  /** Code points of the source before `text`; added to all offsets. */
  baseOffset: number;
  /**
   * What governs the beginning of a fragment, as rendered text: the header line of the turn that `text` continues, or
   * the front matter of its document. It gives no claims. Without it, what stands before the first header of a fragment
   * from the middle of a source gives nothing, because whose words they are is not known: they may be a machine's.
   */
  context?: string;
}

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
