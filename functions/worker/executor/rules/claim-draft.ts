/** The shapes that the built-in extractor takes and hands out: its input, a claim draft, and the event interval inside it. */

/** How exact the edges of an event interval are. A week has day edges, a season month edges. */
export type EventPrecision = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';

/** When something happened: closed-open, epoch milliseconds. */
export interface EventInterval {
  startMs: number;
  endMs: number;
  precision: EventPrecision;
  /** `text`: the words name the time. `turn`: the words say "just" or "now", so it is the day of the turn. */
  from: 'text' | 'turn';
}

/** A claim found in a text, before the worker checks its quote and writes it. */
export interface ClaimDraft {
  /** Display name of whom the claim is about: the speaker, a named person, or kin as in "Maya's sister". */
  entity: string;
  /** One of the attributes in README.md. */
  attribute: string;
  /** `one`: a later claim supersedes. `many`: one claim slot per normalized value. */
  cardinality: 'one' | 'many';
  /** The empty value ends the claim slot. */
  value: string;
  /** Offsets in Unicode code points, the input's `baseOffset` added. The quote is exactly that slice. */
  quote: { start: number; end: number };
  /** Absent: undated. */
  event?: EventInterval;
  /** When it was said: the time of its turn, or the date of its document. Absent: none is known. */
  saidAtMs?: number;
  /** Rule id and version, for instance `rules-en/lives-in@1`. */
  rule: string;
  /** Fixed per rule and uncalibrated: it ranks the rules among each other and is no probability. */
  confidence: number;
}

/** What a rule finds in a sentence: a claim draft before it has a quote. */
export type Finding = Omit<ClaimDraft, 'quote' | 'saidAtMs'> & {
  /** A change ("moved", "quit") as against a state ("live", "work"). Retelling guards look only at changes. */
  change?: boolean;
};

/** What the extractor reads. */
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
