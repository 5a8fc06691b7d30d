/**
 * One string per scalar value whose order by UTF-16 code units (JavaScript's `<`) is DynamoDB's order of the values:
 * strings by UTF-8 bytes, numbers by value, binaries by unsigned bytes. Rows are kept sorted by these strings.
 */
import { type AttributeValue, decodeBinary } from './attribute-value.ts';
import { compareNumbers, toSortableNumber } from './decimal.ts';

const FROM_SURROGATES_ON = /[\ud800-\uffff]/;

/** The sortable form of a string, number or binary, which alone have an order. Injective within a type. */
export function toSortable(value: AttributeValue): string {
  if ('S' in value) return toSortableText(value.S);
  if ('N' in value) return toSortableNumber(value.N);
  return decodeBinary((value as { readonly B: string }).B).toString('latin1');
}

/**
 * UTF-8 order is code point order, in which U+E000..U+FFFF come before what UTF-16 writes as surrogates
 * (U+D800..U+DFFF). Swapping the two ranges makes code unit order agree. Most strings hold neither and stay as they
 * are.
 */
function toSortableText(text: string): string {
  if (!FROM_SURROGATES_ON.test(text)) return text;
  let sortable = '';
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xe000) sortable += String.fromCharCode(unit - 0x800);
    else if (unit >= 0xd800) sortable += String.fromCharCode(unit + 0x2000);
    else sortable += text[at];
  }
  return sortable;
}

/**
 * Below zero, zero or above zero; NaN (every comparison false) when a value is missing, of another type or has no
 * order.
 */
export function compareValues(a: AttributeValue | undefined, b: AttributeValue | undefined): number {
  if (a === undefined || b === undefined) return Number.NaN;
  if ('N' in a) return 'N' in b ? compareNumbers(a.N, b.N) : Number.NaN;
  if (!('S' in a && 'S' in b) && !('B' in a && 'B' in b)) return Number.NaN;
  const left = toSortable(a);
  const right = toSortable(b);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
