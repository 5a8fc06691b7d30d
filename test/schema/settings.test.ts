import { describe, expect, it } from 'vitest';
import {
  DEFAULT_SETTINGS,
  effectiveSettings,
  parseSettingOverrides,
  resolveSettings,
  SETTING_NAMES,
  SETTING_RANGES,
} from '../../schema/settings.ts';

const parse = (overrides: object) => parseSettingOverrides(JSON.stringify(overrides), 'NIGHTJAR_SETTINGS');

describe.each(SETTING_NAMES)('%s', (name) => {
  const { min, max, default: byDefault } = SETTING_RANGES[name];
  const range = `${name} must be a whole number from ${min} to ${max}`;

  it('takes both ends of its range, and its default lies within', () => {
    expect([parse({ [name]: min }), parse({ [name]: max })]).toEqual([{ [name]: min }, { [name]: max }]);
    expect(parse({ [name]: byDefault })).toEqual({ [name]: byDefault });
  });

  it.each([
    ['below', min - 1],
    ['above', max + 1],
    ['not whole', min + 0.5],
    ['text', `${min}`],
    ['null', null],
  ])('refuses what is %s and says the range', (_, value) => {
    expect(() => parse({ [name]: value })).toThrow(`NIGHTJAR_SETTINGS: ${range}`);
  });
});

describe('overrides', () => {
  it('an unknown name is refused with the known ones', () => {
    expect(() => parse({ maxPases: 3 })).toThrow(/maxPases/);
    for (const name of SETTING_NAMES) expect(() => parse({ maxPases: 3 })).toThrow(name);
  });

  it('two faults are told at once', () => {
    expect(() => parse({ pageSources: 0, passTimeoutMs: 1 })).toThrow(/passTimeoutMs must be.*pageSources must be/);
  });

  it.each(['', '{', 'none'])('text that is no JSON is refused with where it stands: "%s"', (json) => {
    expect(() => parseSettingOverrides(json, 'NIGHTJAR_SETTINGS')).toThrow(/^NIGHTJAR_SETTINGS must be a JSON object/);
  });

  it.each(['[]', '3', 'null'])('JSON that is no object is refused: %s', (json) => {
    expect(() => parseSettingOverrides(json, 'NIGHTJAR_SETTINGS')).toThrow(/^NIGHTJAR_SETTINGS: /);
  });

  it('the nearest origin wins, and says which it was', () => {
    const deployment = { pageSources: 10, batchTokens: 5 };
    const scope = { pageSources: 7 };
    const effective = effectiveSettings(deployment, scope);
    expect(effective.pageSources).toEqual({ value: 7, from: 'scope' });
    expect(effective.batchTokens).toEqual({ value: 5, from: 'deployment' });
    expect(effective.drainParallel).toEqual({ value: 1, from: 'default' });
    expect(resolveSettings(deployment, scope)).toEqual({ ...DEFAULT_SETTINGS, ...deployment, ...scope });
  });

  it('a zero is a value, not an absence', () => {
    expect(resolveSettings({ batchTokens: 9 }, { batchTokens: 0 }).batchTokens).toBe(0);
  });
});
