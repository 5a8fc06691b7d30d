import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Case, quoteOf, readCases, type Score, score, states } from './score.ts';

const TABLE = path.join(import.meta.dirname, 'result.json');

let cases: Case[];
let found: Score;
beforeAll(async () => {
  cases = await readCases();
  found = score(cases);
}, 60_000);

describe('sentences and dialogues written before the extractor was run on them', () => {
  it('finds at least 70 of 100 expected facts, and the committed table of misses is the true one', () => {
    expect(found.found / found.expected).toBeGreaterThanOrEqual(0.7);
    expect(found).toEqual(JSON.parse(readFileSync(TABLE, 'utf8')));
  });

  it('draws no fact from a question, a wish, a negation or hearsay', () => {
    expect(cases.filter((it) => it.expected.length === 0)).toHaveLength(20);
    expect(found.unfounded).toEqual([]);
  });

  it('states a plan as a plan only', () => {
    const plans = cases.flatMap((it) => it.expected.filter((fact) => fact.plan).map((fact) => ({ it, fact })));
    expect(plans.length).toBeGreaterThanOrEqual(8);
    const others = plans.flatMap(({ it, fact }) =>
      it.claims.filter((claim) => states(it, fact, claim) && claim.attribute !== 'plan'),
    );
    expect(others.map((claim) => `${claim.attribute}: ${claim.value}`)).toEqual([]);
  });

  it('quotes what was said, word for word', () => {
    for (const it of cases) for (const claim of it.claims) expect(it.text).toContain(quoteOf(it, claim));
  });
});

describe('what the pages say of it', () => {
  const ROOT = path.resolve(import.meta.dirname, '../../../../..');
  it.each(['README.md', 'functions/worker/executor/rules/README.md'])('is what was found: %s', (page) => {
    const text = readFileSync(path.join(ROOT, page), 'utf8').replaceAll(/\s+/g, ' ');
    const silent = cases.filter((it) => it.expected.length === 0).length;
    expect(text).toContain(`found ${found.found} of ${found.expected} facts`);
    expect(text).toMatch(
      new RegExp(`drew ${found.unfounded.length} from (?:the )?${silent} sentences that state nothing`),
    );
  });
});
