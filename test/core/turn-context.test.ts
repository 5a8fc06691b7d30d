import { describe, expect, it } from 'vitest';
import { openTurnHeader } from '../../functions/core/turn-context.ts';

describe('openTurnHeader', () => {
  const text = 'Maya (2024-05-03T10:00:00Z): first line\n  Jonas: not a header, a line of the turn\n  third line';

  it('finds the header of the turn that is open', () => {
    expect(openTurnHeader(text)).toBe('Maya (2024-05-03T10:00:00Z):');
    expect(openTurnHeader(`${text}\nassistant: I see`)).toBe('assistant:');
    expect(openTurnHeader('Maya (yesterday, zone unknown): half a')).toBe('Maya (yesterday, zone unknown):');
  });

  it('finds none where there is none', () => {
    expect(openTurnHeader('')).toBeUndefined();
    expect(openTurnHeader('  an indented line\n  another')).toBeUndefined();
  });

  it('is quick on a long line without a header', () => {
    expect(openTurnHeader(`  ${'x('.repeat(500_000)}`)).toBeUndefined();
  });
});
