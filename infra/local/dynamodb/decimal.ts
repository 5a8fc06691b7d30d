/**
 * DynamoDB's numbers: decimals of up to 38 significant digits, kept as canonical plain text (no exponent, no trailing
 * zeros, no negative zero). A JavaScript number would round them from the 17th digit on.
 */
import { validationFault } from './fault.ts';

const SIGNIFICANT_DIGITS_MAX = 38;
/**
 * The power of ten of the first digit may lie between these: 9.9e125 is the largest number, 1e-130 the smallest above
 * zero.
 */
const EXPONENT_MAX = 125;
const EXPONENT_MIN = -130;
/**
 * Up to this many characters a decimal and its double are one to one and in the same order (15 digits always survive).
 */
const EXACT_AS_DOUBLE_CHARACTERS = 15;

/**
 * A canonical number taken apart: `digits` without leading or trailing zeros, the first of them worth 10^`exponent`.
 */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

function parseDecimal(text: string): Decimal {
  const negative = text.startsWith('-');
  const plain = negative ? text.slice(1) : text;
  const point = plain.indexOf('.');
  const whole = point < 0 ? plain : plain.slice(0, point);
  const all = point < 0 ? plain : whole + plain.slice(point + 1);
  const leading = all.length - all.replace(/^0+/, '').length;
  return { negative, digits: all.slice(leading).replace(/0+$/, ''), exponent: whole.length - 1 - leading };
}

/** Below zero, zero or above zero, as `a` stands to `b`. */
export function compareNumbers(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length <= EXACT_AS_DOUBLE_CHARACTERS && b.length <= EXACT_AS_DOUBLE_CHARACTERS) return Number(a) - Number(b);
  return toSortableNumber(a) < toSortableNumber(b) ? -1 : 1;
}

/** Text whose order by code units is the order of the numbers. Injective on canonical numbers. */
export function toSortableNumber(text: string): string {
  const { negative, digits, exponent } = parseDecimal(text);
  if (digits === '') return 'o';
  // 200 lifts the exponent above zero; the tilde makes -1.5 ('84~') sort before -1 ('8~').
  const lifted = 200 + exponent;
  if (!negative) return `p${String(lifted).padStart(3, '0')}${digits}`;
  const complement = digits.replace(/\d/g, (digit) => String(9 - Number(digit)));
  return `n${String(999 - lifted).padStart(3, '0')}${complement}~`;
}

/** Stored size: two digits a byte, one byte of exponent, one more for a sign or for digits that straddle a byte. */
export function numberSizeBytes(text: string): number {
  const { negative, digits, exponent } = parseDecimal(text);
  if (digits === '') return 1;
  const straddles = digits.length % 2 === 0 && exponent % 2 === 0;
  return 1 + Math.ceil(digits.length / 2) + (straddles ? 1 : 0) + (negative ? 1 : 0);
}

/** The exact sum. Throws a ValidationException when it needs more than 38 digits or leaves the range. */
export function addNumbers(a: string, b: string): string {
  const quick = Number(a) + Number(b);
  if (/^-?\d{1,15}$/.test(a) && /^-?\d{1,15}$/.test(b)) return String(quick);
  const scale = Math.max(countFractionDigits(a), countFractionDigits(b));
  return formatScaled(toScaled(a, scale) + toScaled(b, scale), scale);
}

function countFractionDigits(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

function toScaled(text: string, scale: number): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(scale - countFractionDigits(text)));
}

function formatScaled(scaled: bigint, scale: number): string {
  const negative = scaled < 0n;
  const padded = String(negative ? -scaled : scaled).padStart(scale + 1, '0');
  const whole = padded.slice(0, padded.length - scale);
  const fraction = padded.slice(padded.length - scale).replace(/0+$/, '');
  const text = (negative ? '-' : '') + (fraction === '' ? whole : `${whole}.${fraction}`);
  const { digits, exponent } = parseDecimal(text);
  if (digits.length > SIGNIFICANT_DIGITS_MAX) {
    throw validationFault('Number overflow. Attempting to store a number with more than 38 significant digits');
  }
  if (exponent > EXPONENT_MAX) {
    throw validationFault('Number overflow. Attempting to store a number with magnitude larger than supported range');
  }
  if (digits !== '' && exponent < EXPONENT_MIN) {
    throw validationFault('Number underflow. Attempting to store a number with magnitude smaller than supported range');
  }
  return text;
}
