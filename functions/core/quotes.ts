/** Whether a quote is exactly what was delivered: the server's own check, whatever the executor says. */
import { countCharacters, sliceCharacters } from './characters.ts';
import type { ClaimDraft } from './claim-draft.ts';

/** A slice of a source's rendered text as it was given to a pass. */
export interface DeliveredText {
  readonly text: string;
  /** Where it begins in the whole text, in code points. */
  readonly start: number;
}

export type QuoteCheck =
  | { readonly kind: 'ok' }
  | {
      readonly kind: 'refused';
      readonly reason: 'quote_mismatch' | 'quote_not_delivered';
      readonly message: string;
    };

const SHOWN_MAX = 80;

/** A quote as the texts are: NFC, line feeds. What was normalised at the door is compared after the same. */
export function normalizeQuote(text: string): string {
  return text.normalize('NFC').replace(/\r\n?/g, '\n');
}

const shorten = (text: string): string => (text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);

/**
 * Checks that a draft's quote is that very slice of the delivered text, which begins at `deliveredStart` of the whole. A
 * slice of a normalised text is itself normalised, so only the quote is brought to that form.
 */
export function checkQuote(
  { quote }: Pick<ClaimDraft, 'quote'>,
  deliveredText: string,
  deliveredStart: number,
): QuoteCheck {
  const where = `${quote.start} to ${quote.end}`;
  const from = quote.start - deliveredStart;
  const to = quote.end - deliveredStart;
  if (from < 0 || to > countCharacters(deliveredText)) {
    const message = `the characters ${where} were not delivered to this pass; its text begins at ${deliveredStart}: quote only what was delivered`;
    return { kind: 'refused', reason: 'quote_not_delivered', message };
  }
  const slice = sliceCharacters(deliveredText, from, to);
  if (normalizeQuote(quote.text) === slice) return { kind: 'ok' };
  const message = `the characters ${where} read "${shorten(slice)}", not "${shorten(quote.text)}": quote the source word by word`;
  return { kind: 'refused', reason: 'quote_mismatch', message };
}
