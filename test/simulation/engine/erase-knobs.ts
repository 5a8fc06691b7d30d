/** Bounds of erasing, turned so that a look over a few rows takes several runs, and several pages. */
import { LIMITS } from '../../../schema/limits.ts';
import type { Query } from '../../../schema/request.ts';

const limits = LIMITS as { -readonly [Name in keyof typeof LIMITS]: number };
const { erasedForCallerMs, erasedByScheduleMs } = LIMITS;

interface Turned {
  readonly forCallerMs?: number;
  readonly byScheduleMs?: number;
}

export function turnEraseKnobs({ forCallerMs, byScheduleMs }: Turned): void {
  limits.erasedForCallerMs = forCallerMs ?? erasedForCallerMs;
  limits.erasedByScheduleMs = byScheduleMs ?? erasedByScheduleMs;
}

/** What an eraser reads on: all but what is due, and what is forgotten. */
export function isOfErased({ input }: Query): boolean {
  const { IndexName, ExpressionAttributeValues: values = {} } = input;
  return IndexName === undefined && !Object.values(values).some((value) => String(value).startsWith('ERASURE#'));
}
