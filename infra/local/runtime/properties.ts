/** Reads a resource's properties with their types checked: a template may come from anywhere. */
import type { Resource } from './template.ts';

type Described = Pick<Resource, 'logicalId' | 'properties'>;

/** A text property. Throws when it is something else, or absent without a default. */
export function readText({ logicalId, properties }: Described, name: string, absent?: string): string {
  const value = properties[name] ?? absent;
  if (typeof value === 'string') return value;
  throw new Error(`${logicalId}.${name} is ${JSON.stringify(value)}; a text is expected.`);
}

/** A number property; CloudFormation takes numbers as text too. Throws when it is neither. */
export function readNumber({ logicalId, properties }: Described, name: string, absent: number): number {
  const value = properties[name] ?? absent;
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new Error(`${logicalId}.${name} is ${JSON.stringify(value)}; a number is expected.`);
}

/** Whether a mapping's function reports failures one by one. */
export function reportsItemFailures({ properties }: Described): boolean {
  const types = properties.FunctionResponseTypes;
  return Array.isArray(types) && types.includes('ReportBatchItemFailures');
}
