import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addNumbers, compareNumbers, toSortableNumber } from '../../../../infra/local/dynamodb/decimal.ts';

/** Canonical decimals as the request check leaves them, with their exact value as a fraction of 10^40. */
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 0, max: 40 }))
  .map(([digits, scale]) => ({ text: writeDecimal(digits, scale), scaled: digits * 10n ** BigInt(40 - scale) }));

function writeDecimal(digits: bigint, scale: number): string {
  const sign = digits < 0n ? '-' : '';
  const plain = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const fraction = scale === 0 ? '' : plain.slice(-scale).replace(/0+$/, '');
  const whole = scale === 0 ? plain : plain.slice(0, -scale);
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}

const sign = (value: number | bigint) => (value > 0 ? 1 : value < 0 ? -1 : 0);

describe('decimals', () => {
  it('compare and sort as the numbers they are', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const expected = sign(a.scaled - b.scaled);
        const [left, right] = [toSortableNumber(a.text), toSortableNumber(b.text)];
        expect(sign(compareNumbers(a.text, b.text))).toBe(expected);
        expect(left === right ? 0 : left < right ? -1 : 1).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('add exactly, or not at all', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const expected = writeDecimal(a.scaled + b.scaled, 40);
        const significant = expected
          .replace(/[-.]/g, '')
          .replace(/^0+/, '')
          .replace(expected.includes('.') ? /$/ : /0+$/, '');
        if (significant.length > 38) expect(() => addNumbers(a.text, b.text)).toThrow(/38 significant digits/);
        else expect(addNumbers(a.text, b.text)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
