/**
 * What an executor hands over for each claim it found, before the quote is checked and anything is written.
 * Offsets are in Unicode code points of the whole rendered text of the source.
 */
import * as z from 'zod';
import { CARDINALITIES, eventTimeSchema } from '../../schema/citation.ts';
import { ENTITY_TYPES, slugOf } from '../../schema/entity.ts';
import { LIMITS } from '../../schema/limits.ts';
import { isPlainText, NOT_PLAIN } from '../../schema/plain-text.ts';
import { TIME_MAX_MS, TIME_MIN_MS } from '../../schema/time.ts';

const { entityCharactersMax, quoteCharactersMax, valueCharactersMax } = LIMITS;

const keyTimeSchema = z.int().min(TIME_MIN_MS).max(TIME_MAX_MS);
const offsetSchema = z.int().min(0).max(LIMITS.sourceCharactersMax);
const isBlank = (text: string): boolean => text.normalize('NFKC').trim() === '';

const draftQuoteSchema = z
  .object({
    text: z
      .string()
      .min(1, 'a quote is not empty')
      .max(2 * quoteCharactersMax),
    start: offsetSchema,
    end: offsetSchema,
  })
  .refine(({ start, end }) => end > start && end - start <= quoteCharactersMax, {
    error: `a quote is 1 to ${quoteCharactersMax} characters: its end lies behind its start by that much`,
  });

const draftEventSchema = eventTimeSchema
  .extend({ startMs: keyTimeSchema, endMs: keyTimeSchema })
  .refine(({ startMs, endMs }) => endMs > startMs, { error: 'an event ends after it starts' });

export const claimDraftSchema = z
  .object({
    /** Name of whom or what the claim is about, as the source has it. */
    entity: z
      .string()
      .max(entityCharactersMax, `an entity's name is at most ${entityCharactersMax} characters`)
      .refine((name) => slugOf(name) !== '', { error: "an entity's name is not blank" })
      .refine(isPlainText, NOT_PLAIN),
    /** What the entity is, where the source tells. Sources that disagree: the one captured later. */
    entityType: z.enum(ENTITY_TYPES).optional(),
    attribute: z
      .string()
      .regex(
        /^[a-z][a-z0-9_:-]{0,63}$/,
        'an attribute is 1 to 64 characters out of a-z 0-9 _ : - and begins with a letter',
      ),
    cardinality: z.enum(CARDINALITIES),
    /** Empty: the claim slot ends ("no longer"). */
    value: z
      .string()
      .max(valueCharactersMax, `a value is at most ${valueCharactersMax} characters`)
      .refine((value) => value === '' || !isBlank(value), {
        error: 'a value of nothing but white space says nothing; the empty value ends the claim slot',
      })
      .refine(isPlainText, NOT_PLAIN),
    /** Which value the empty value ends, for a many-valued attribute only: there each value has its own claim slot. */
    ends: z
      .string()
      .max(valueCharactersMax)
      .refine((value) => !isBlank(value), { error: 'ends names the value that ends' })
      .refine(isPlainText, NOT_PLAIN)
      .optional(),
    /** A value of the same attribute that the quote says is wrong: an attention is raised with both quotes. */
    contradicts: z
      .string()
      .max(valueCharactersMax)
      .refine((value) => !isBlank(value), { error: 'contradicts names the value that is said to be wrong' })
      .refine(isPlainText, NOT_PLAIN)
      .optional(),
    quote: draftQuoteSchema,
    /** Absent: undated. */
    event: draftEventSchema.optional(),
    /**
     * When it was said, where the text tells: the time of its turn. Absent, or after the source's captured time: that time.
     * So an old statement in a session that went on stays old, and reads the same however the session arrived.
     */
    saidAtMs: keyTimeSchema.optional(),
    /** The rule that found it, with its version. */
    rule: z.string().max(100).refine(isPlainText, NOT_PLAIN).optional(),
    confidence: z.number().min(0).max(1).optional(),
  })
  .refine(({ cardinality, value, ends }) => (cardinality === 'many' && value === '') === (ends !== undefined), {
    error: 'ends goes with the empty value of a many-valued attribute, and only with that',
  });

export type ClaimDraft = z.infer<typeof claimDraftSchema>;
