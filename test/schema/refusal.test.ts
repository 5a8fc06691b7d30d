import { describe, expect, it } from 'vitest';
import { httpCodeOf, precedenceOf, REFUSALS, refuse } from '../../schema/refusal.ts';

/** The list of the design, in its order: an outcome or a code that moves is a change of the API. */
const EXPECTED = [
  ['unknown_kind', 400],
  ['executor_not_configured', 503],
  ['paused_all', 409],
  ['paused', 409],
  ['halted', 409],
  ['backing_off', 409],
  ['provider_away', 503],
  ['nothing_to_do', 409],
  ['scope_closed', 409],
  ['scope_full', 409],
  ['capacity', 409],
  ['budget', 429],
] as const;

describe('refusals', () => {
  it('stand in the order of precedence, each with its HTTP code', () => {
    expect(REFUSALS.map(({ reason, http }) => [reason, http])).toEqual(EXPECTED);
  });

  it.each(EXPECTED)('%s answers %i', (reason, http) => {
    expect(httpCodeOf(reason)).toBe(http);
  });

  it('precedence is the position: what is wrong with the call goes before what is wrong with the moment', () => {
    expect(EXPECTED.map(([reason]) => precedenceOf(reason))).toEqual(EXPECTED.map((_, position) => position));
    expect(precedenceOf('paused_all')).toBeLessThan(precedenceOf('paused'));
  });

  it('says its sentence, what was found, and from when asking again may help', () => {
    expect(refuse('capacity')).toEqual({ reason: 'capacity', message: 'the deployment runs as many passes as it may' });
    expect(refuse('unknown_kind', 'deep', 5)).toEqual({
      reason: 'unknown_kind',
      message: 'no such kind of pass: deep',
      retryAtMs: 5,
    });
  });
});
