/** Mutants of what ingest has done when it answers. */
import type { Item } from '../../../schema/request.ts';
import { START_MS } from '../engine/kernel.ts';
import { type Mutant, onWrite, storm } from './mutant.ts';
import type { Plan } from '../plans/plan.ts';

const SECOND_MS = 1000;

const inOneCall = (plan: Plan): Plan['ingests'] => plan.ingests.filter(({ upload }) => upload === undefined);

/** Each source is sent unfinished, and some seconds later once more, finished; nothing is read for two minutes. */
const finishedLater = (plan: Plan): Plan => ({
  ...plan,
  requests: [],
  settings: { ...plan.settings, batchTokens: 4000, maxWaitMs: 120 * SECOND_MS },
  ingests: inOneCall(plan).flatMap((call) => [
    { ...call, sources: call.sources.map((source) => ({ ...source, completed: false })) },
    {
      ...call,
      atMs: call.atMs + 20 * SECOND_MS,
      sources: call.sources.map((source) => ({ ...source, completed: true })),
    },
  ]),
});

/** Each source is revised right after it came in, before anybody reads it; its client dies over that, and sends again. */
const revisedAtOnce = (plan: Plan): Plan =>
  storm({ crashAfterWrite: 0.1 })({
    ...plan,
    settings: { ...plan.settings, batchTokens: 4000, maxWaitMs: 120 * SECOND_MS },
    ingests: inOneCall(plan).flatMap((call, k) => [
      { ...call, atMs: START_MS + k * SECOND_MS },
      {
        ...call,
        atMs: START_MS + (k + 20) * SECOND_MS,
        sources: call.sources.map((source) => ({
          ...source,
          text: `${source.text}\nRevised ${k}.`,
          capturedAtMs: source.capturedAtMs + 60 * SECOND_MS + k,
        })),
      },
    ]),
  });

export const INTAKE_ANSWER_MUTANTS: readonly Mutant[] = [
  {
    name: 'told to be finished, and left as it is',
    replaces: 'completeSource, answered without being sent',
    caughtBy: ['an answer tells what stands'],
    within: 20,
    direct: finishedLater,
    wrapStore: (store, { role }) =>
      role === 'ingest'
        ? onWrite(store, async (write, name, pass) =>
            name === 'source:complete' ? { kind: 'won', item: undefined } : pass(write),
          )
        : undefined,
  },
  {
    name: 'answered, and nothing put',
    replaces: 'putNewestSource, answered without being sent',
    caughtBy: ['an answer tells what stands'],
    within: 20,
    wrapStore: (store, { role }) =>
      role === 'ingest'
        ? onWrite(store, async (write, name, pass) =>
            name === 'source:put' && write.kind === 'put' ? { kind: 'won', item: write.input.Item } : pass(write),
          )
        : undefined,
  },
  {
    name: 'what a dead call replaced left in the queue',
    replaces: 'loadStanding and finishStanding ask what the revision that stands has replaced',
    caughtBy: ['what was replaced leaves the queue'],
    within: 20,
    direct: revisedAtOnce,
    wrapStore: (store, { role }) => {
      if (role !== 'ingest') return undefined;
      const over = onWrite(store, (write, _name, pass) => pass(write));
      const get: typeof over.get = async (read) => {
        const row = await store.get(read);
        if (row === undefined || !String(row.sk).startsWith('SOURCE#')) return row;
        const { replaces: _, ...rest } = row;
        return rest as Item;
      };
      return { ...over, get };
    },
  },
];
