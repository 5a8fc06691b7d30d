/** Lines of an import, whole and damaged: of a memory that was kept elsewhere, about somebody no source here speaks of. */
import { makeCitation } from '../../../functions/core/claims.ts';
import { formatMemoryLine } from '../../../functions/core/memory-lines.ts';
import type { Citation, CitationItem } from '../../../schema/citation.ts';
import { nameKeyOf, slugOf, typeKeyOf } from '../../../schema/entity.ts';
import { revisionOf } from '../../../schema/ids.ts';
import { START_MS } from '../engine/kernel.ts';

const DAY_MS = 86_400_000;
/** Nobody else speaks of her. */
export const SLOPPY_ENTITY = 'Quirk';
const FRIEND = 'Quirk the Second';

/** Said by callers who do not read the manual, and by no source. */
export const isSloppy = ({ slot }: Pick<CitationItem, 'slot'>): boolean => slot.entity === slugOf(SLOPPY_ENTITY);

const text = 'Quirk likes tea.';
const imported: Citation = makeCitation({
  draft: {
    entity: SLOPPY_ENTITY,
    attribute: 'likes',
    cardinality: 'many',
    value: 'tea',
    quote: { text, start: 0, end: text.length },
    rule: 'elsewhere@1',
    confidence: 0.5,
  },
  source: { kind: 'note', id: 'elsewhere', revision: revisionOf(text) },
  capturedAtMs: START_MS - DAY_MS,
  executor: 'elsewhere',
  recordedAtMs: START_MS - DAY_MS,
});
const row = { ...imported, passes: { elsewhere: START_MS - DAY_MS }, passCount: 1, undone: {} };
const typed = { entityType: 'pet', capturedAtMs: START_MS - DAY_MS, isPerson: false } as const;
const entity = { slug: slugOf(SLOPPY_ENTITY), name: SLOPPY_ENTITY, nameKey: nameKeyOf(SLOPPY_ENTITY) };
const alias = {
  from: slugOf(FRIEND),
  into: slugOf(SLOPPY_ENTITY),
  fromName: FRIEND,
  intoName: SLOPPY_ENTITY,
  author: 'elsewhere',
  recordedAtMs: START_MS - DAY_MS,
};

/** The id of the citation that a whole page brings. */
export const IMPORTED_CITATION = imported.citationId;
/** One page as an export gives it. */
export const WHOLE_LINES: readonly string[] = [
  formatMemoryLine({ type: 'entity', ...entity, entityType: typed.entityType, typeKey: typeKeyOf(typed) }),
  formatMemoryLine({ type: 'alias', ...alias }),
  formatMemoryLine({ type: 'citation', ...row }),
];

/** Lines that no export gave, each with why not. */
export const ODD_IMPORTS: readonly { readonly why: string; readonly line: string }[] = [
  { why: 'cut off', line: WHOLE_LINES[2]?.slice(0, 40) ?? '' },
  { why: 'no object', line: '7' },
  { why: 'a list', line: `[${WHOLE_LINES[0]}]` },
  { why: 'of no type', line: '{}' },
  { why: 'of a type that there is not', line: JSON.stringify({ ...row, type: 'head' }) },
  { why: 'half of it', line: JSON.stringify({ type: 'citation', value: 'tea', slot: [] }) },
  { why: 'another slug', line: JSON.stringify({ ...entity, type: 'entity', slug: 'quark' }) },
  { why: 'another name', line: JSON.stringify({ ...entity, type: 'entity', name: 'QUIRK' }) },
  { why: 'a type without its key', line: JSON.stringify({ ...entity, type: 'entity', entityType: 'pet' }) },
  {
    why: 'a key of another type',
    line: JSON.stringify({
      ...entity,
      ...typed,
      type: 'entity',
      typeKey: typeKeyOf({ ...typed, entityType: 'place' }),
    }),
  },
  { why: 'rules of another release', line: JSON.stringify({ ...row, type: 'citation', normalization: 2 }) },
  { why: 'another value', line: JSON.stringify({ ...row, type: 'citation', value: 'coffee' }) },
  { why: 'another quote', line: JSON.stringify({ ...row, type: 'citation', quote: { ...row.quote, start: 1 } }) },
];
