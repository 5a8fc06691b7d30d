/**
 * Sizes as DynamoDB counts them: names and strings in UTF-8 bytes, numbers in packed digits, three bytes around a list
 * or map.
 */
import { type AttributeValue, decodeBinary, type Item } from './attribute-value.ts';
import { numberSizeBytes } from './decimal.ts';

export const ITEM_BYTES_MAX = 400 * 1024;

export function itemSizeBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) bytes += textSizeBytes(name) + valueSizeBytes(value);
  return bytes;
}

function valueSizeBytes(value: AttributeValue): number {
  if ('S' in value) return textSizeBytes(value.S);
  if ('N' in value) return numberSizeBytes(value.N);
  if ('B' in value) return binarySizeBytes(value.B);
  if ('BOOL' in value || 'NULL' in value) return 1;
  if ('SS' in value) return sum(value.SS.map(textSizeBytes));
  if ('NS' in value) return sum(value.NS.map(numberSizeBytes));
  if ('BS' in value) return sum(value.BS.map(binarySizeBytes));
  // One byte more for each element: AWS documents three bytes around the whole and one for every entry.
  if ('L' in value) return 3 + value.L.length + sum(value.L.map(valueSizeBytes));
  return 3 + Object.keys(value.M).length + itemSizeBytes(value.M);
}

export function textSizeBytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

export function binarySizeBytes(base64: string): number {
  return decodeBinary(base64).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
