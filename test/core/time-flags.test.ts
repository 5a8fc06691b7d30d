import { describe, expect, it } from 'vitest';
import { timeFlagsOf } from '../../functions/core/time-flags.ts';
import { dayMs } from './citation-samples.ts';

const TOLD = { value: 'Oslo', planned: false, capturedAtMs: dayMs('2024-05-10'), recordedAtMs: dayMs('2024-05-11') };

describe('time flags', () => {
  it.each([
    ['nothing odd', {}, []],
    ['a plan', { planned: true }, ['future_event']],
    ['a date that is past', { value: 'born 1990-02-28' }, []],
    ['a leap day', { value: '2024-02-29' }, []],
    ['a day that no year has', { value: '1990-02-30' }, ['impossible_date']],
    ['a leap day of a common year', { value: '2023-02-29' }, ['impossible_date']],
    ['a month that no year has', { value: '1990-13-01' }, ['impossible_date']],
    ['a date to come', { value: 'from 2030-01-01 on' }, ['future_date']],
    ['tomorrow may be a zone', { value: '2024-05-11' }, []],
    ['two dates', { value: '2030-01-01 to 2030-02-31' }, ['future_date', 'impossible_date']],
    ['digits that are no date', { value: '12024-02-310' }, []],
    ['a source of the future', { capturedAtMs: dayMs('2024-05-13') }, ['future_capture']],
    ['a clock a day ahead', { capturedAtMs: dayMs('2024-05-12') }, []],
  ])('%s', (_, change, flags) => {
    expect(timeFlagsOf({ ...TOLD, ...change })).toEqual(flags);
  });
});
