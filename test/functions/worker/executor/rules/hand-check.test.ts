/**
 * Sentences with the claims they must give, or none. Each runs as a turn of its own; a row with a twin that must give
 * nothing stands beside it. Event column: `-` undated, else the interval's first day (local), precision and origin.
 */
import { describe, expect, it } from 'vitest';
import { type ClaimDraft, loadRules } from '../../../../../functions/worker/executor/rules/extract.ts';

const { extractClaims } = await loadRules();
// A Wednesday.
const TURN = 'Maya (2024-06-12T18:20:00-06:00): ';
const OFFSET_MS = -6 * 3_600_000;

const ROWS: readonly [sentence: string, ...claims: string[]][] = [
  ['I live in Austin.', 'Maya|lives_in|Austin|-'],
  ['I live in a small flat in East Austin, right by the river.', 'Maya|lives_in|East Austin|-'],
  ["I've lived in Denver since 2019.", 'Maya|lives_in|Denver|2019-01-01 year text'],
  ['We moved to Denver in May 2024.', 'Maya|lives_in|Denver|2024-05-01 month text'],
  ['Last week we moved to Denver with my sister.', 'Maya|lives_in|Denver|2024-06-03 day text'],
  ['I just moved to Denver!', 'Maya|lives_in|Denver|2024-06-12 day turn'],
  ['I moved to Denver.', 'Maya|event|moved to Denver|-'],
  ['When we moved to Denver, I was tired.', 'Maya|event|moved to Denver|-'],
  ['I just moved out of Austin.', 'Maya|lives_in||2024-06-12 day turn'],
  [
    'I’m a teacher and I’ve just moved to Zürich.',
    'Maya|works_as|teacher|-',
    'Maya|lives_in|Zürich|2024-06-12 day turn',
  ],
  ['We moved the meeting to Denver time.'],
  ['We moved to GitHub in May 2024.', 'Maya|event|moved to GitHub in May 2024|2024-05-01 month text'],
  ['I used to live in Austin.'],
  ["I don't live in Austin any more."],
  ['If I lived in Denver, I would ski every day.'],
  ['Do I live in Austin?'],
  ['I wish I lived in Oslo.'],
  ['I would love to live in Lisbon.'],
  ['I might move to Berlin next year.'],
  ['I live in fear of spiders.'],
  ['Jonas thinks I live in Boulder.'],
  ['She said "I live in Paris."'],
  ['Ich wohne in Berlin.'],
  ['I work at Globex as a data engineer.', 'Maya|works_at|Globex|-', 'Maya|works_as|data engineer|-'],
  ["I'm a nurse at St. Mary's Hospital.", 'Maya|works_as|nurse|-', "Maya|works_at|St. Mary's Hospital|-"],
  ["I'm a good cook."],
  ['I work at night.'],
  ['I joined Initech last month.', 'Maya|works_at|Initech|2024-05-01 month text'],
  ['I got a job at Globex!', 'Maya|event|got a job at Globex|-'],
  ['I lost my job last Friday.', 'Maya|works_at||2024-06-07 day text'],
  ['I lost my job.', 'Maya|event|lost my job|-'],
  [
    'I quit my job at Acme on Monday and started at Globex yesterday.',
    'Maya|event|quit my job at Acme on Monday|2024-06-10 day text',
    'Maya|works_at|Globex|2024-06-11 day text',
  ],
  ['My name is Maya Lindqvist.', 'Maya|name|Maya Lindqvist|-'],
  ['My name is on the list.'],
  ["My birthday's on March 14th.", 'Maya|birthday|March 14|-'],
  ['My birthday is next week.'],
  ["My mom's birthday is June 3.", "Maya's mother|birthday|June 3|-"],
  ['My sister Ana lives in Oslo.', 'Maya|family|sister Ana|-', 'Ana|lives_in|Oslo|-'],
  ['My brother is a chef.', "Maya's brother|works_as|chef|-"],
  ['I think my sister lives in Bergen.'],
  ['We adopted a puppy named Biscuit last Saturday!', 'Maya|pets|dog Biscuit|2024-06-08 day text'],
  ['I want a dog.'],
  [
    'I really love hiking, board games and strong coffee.',
    'Maya|likes|hiking|-',
    'Maya|likes|board games|-',
    'Maya|likes|strong coffee|-',
  ],
  ["I can't stand cilantro any more.", 'Maya|dislikes|cilantro|-'],
  ["I can't stand games that take five hours."],
  ['I love you.'],
  ["I'm moving to Seattle next May.", 'Maya|plan|moving to Seattle next May|2025-05-01 month text'],
  ["I'm going to visit my parents.", 'Maya|plan|visit my parents|-'],
  ["I'm not moving to Seattle next May."],
  ["I'll call you tomorrow."],
  ['We went to Lisbon last summer.', 'Maya|event|went to Lisbon last summer|2023-06-01 month text'],
  ['I almost moved to Denver in May 2024.'],
  ['We moved to Denver in 2022 🎉 Do you like it?', 'Maya|lives_in|Denver|2022-01-01 year text'],
];

function describeClaim(claim: ClaimDraft): string {
  const { event } = claim;
  const day = event === undefined ? '' : new Date(event.startMs + OFFSET_MS).toISOString().slice(0, 10);
  const time = event === undefined ? '-' : `${day} ${event.precision} ${event.from}`;
  return [claim.entity, claim.attribute, claim.value, time].join('|');
}

describe('the hand-check table', () => {
  it.each(ROWS)('%s', (sentence, ...claims) => {
    expect(extractClaims({ text: TURN + sentence, baseOffset: 0 }).map(describeClaim)).toEqual(claims);
  });
});
