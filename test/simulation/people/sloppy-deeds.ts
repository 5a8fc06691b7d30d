/**
 * What callers who do not read the manual send that is odd and taken all the same: statements of odd times and values,
 * imports with damaged lines among whole ones, a transcript as plain text. Each tells what then has to stand.
 */
import { importMemory } from '../../../functions/curator/import-memory.ts';
import { correctClaim, retractClaim } from '../../../functions/curator/state-claim.ts';
import { appendTurns } from '../../../functions/ingest/append-turns.ts';
import { ingestSources } from '../../../functions/ingest/run.ts';
import type { EventTime } from '../../../schema/citation.ts';
import { triggerIdOf } from '../../../schema/ids.ts';
import { correctBodySchema, retractBodySchema } from '../../../schema/memory-api.ts';
import { putTrigger } from '../../../schema/trigger.ts';
import { isEqual } from '../engine/expression.ts';
import { type Asking, curator, ingest, operator, type SloppyCall } from './sloppy-call.ts';
import { IMPORTED_CITATION, ODD_IMPORTS, SLOPPY_ENTITY, WHOLE_LINES } from './sloppy-lines.ts';

/** A citation that stands by a call that was answered. */
export interface Said {
  readonly citationId: string;
  /** As it has to be there; absent: undated. */
  readonly event?: EventTime;
}

export interface SloppyDeed extends SloppyCall {
  /** Sends it; answers what has to stand from then on. */
  readonly send: (asking: Asking) => Promise<readonly Said[]>;
}

const interval = (from: string, to: string, precision: EventTime['precision']): EventTime => ({
  startMs: Date.parse(from),
  endMs: Date.parse(to),
  precision,
});

/** As they may be written, and what each means. */
const EVENTS: readonly (readonly [text: string, event: EventTime])[] = [
  ['2024', interval('2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z', 'year')],
  ['0099', interval('0099-01-01T00:00:00Z', '0100-01-01T00:00:00Z', 'year')],
  ['2024-12', interval('2024-12-01T00:00:00Z', '2025-01-01T00:00:00Z', 'month')],
  ['2024-02-29', interval('2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z', 'day')],
  ['2024-02-29T23:59Z', interval('2024-02-29T23:59:00Z', '2024-03-01T00:00:00Z', 'minute')],
  ['2024-02-29T23:30-01:00', interval('2024-03-01T00:30:00Z', '2024-03-01T00:31:00Z', 'minute')],
  ['2024-02-29T23:59:59.5+00:00', interval('2024-02-29T23:59:59.500Z', '2024-03-01T00:00:00.500Z', 'second')],
];
const VALUES = ['north', 'NORTH  ', '2024-02-30', 'until 2099-01-01', 'x'.repeat(1_000), ''];
const REASONS = [undefined, 'She said so.', 'because '.repeat(100)];

/** Of a transcript that is none, and of one that grows by a turn now and then. */
const TEXT_ID = 'odd text';
const TALK_ID = 'odd talk';
/** What they send under names that no plan knows. */
export const SLOPPY_IDS: readonly string[] = [TEXT_ID, TALK_ID];
/** These act on transcripts: beside sessions they would be looked at as such. */
export const isOfTranscripts = ({ role }: SloppyDeed): boolean => role === 'ingest';

export const SLOPPY_DEEDS: readonly SloppyDeed[] = [
  {
    name: 'a statement of an odd time',
    role: 'curator',
    codes: ['unknown_scope'],
    send: async (asking) => {
      const { random, scope } = asking;
      const [text, event] = random.pick(EVENTS);
      const isDated = random.chance(0.7);
      const body = {
        entity: ` ${SLOPPY_ENTITY} `,
        attribute: random.pick(['home', 'mood']),
        value: random.pick(VALUES),
        protect: random.chance(0.5),
        reason: random.pick(REASONS),
        ...(isDated && { event: text }),
      };
      const { citation: citationId } = await correctClaim(curator(asking), scope, correctBodySchema.parse(body));
      return [{ citationId, ...(isDated && { event }) }];
    },
  },
  {
    name: 'a plan',
    role: 'curator',
    codes: ['unknown_scope'],
    send: async (asking) => {
      const body = { entity: SLOPPY_ENTITY, attribute: 'home', value: 'moon', event: '2099-05', protect: false };
      const { citation: citationId } = await correctClaim(curator(asking), asking.scope, correctBodySchema.parse(body));
      return [{ citationId, event: interval('2099-05-01T00:00:00Z', '2099-06-01T00:00:00Z', 'month') }];
    },
  },
  {
    name: 'one of many values, and then no more',
    role: 'curator',
    codes: ['unknown_scope', 'not_found'],
    send: async (asking) => {
      const { random, scope } = asking;
      const value = random.pick(['Tea', ' tea', 'coffee']);
      const many = { entity: SLOPPY_ENTITY, attribute: 'likes', cardinality: 'many', value };
      const stated = await correctClaim(curator(asking), scope, correctBodySchema.parse(many));
      const body = retractBodySchema.parse({ ...many, reason: random.pick(REASONS) });
      const retracted = await retractClaim(curator(asking), scope, body);
      return [stated, retracted].map(({ citation }) => ({ citationId: citation }));
    },
  },
  {
    name: 'a statement taken back',
    role: 'curator',
    codes: ['unknown_scope', 'not_found'],
    send: async (asking) => {
      const { random, scope } = asking;
      const value = random.pick(['north', '', 'moon']);
      const body = {
        entity: SLOPPY_ENTITY,
        attribute: random.pick(['home', 'mood']),
        value,
        reason: random.pick(REASONS),
      };
      const { citation: citationId } = await retractClaim(curator(asking), scope, retractBodySchema.parse(body));
      return [{ citationId }];
    },
  },
  {
    name: 'an import with damaged lines',
    role: 'curator',
    codes: [],
    send: async (asking) => {
      const { world, random, scope } = asking;
      const damaged = WHOLE_LINES.map(() => random.pick(ODD_IMPORTS));
      const lines = WHOLE_LINES.flatMap((whole, k) => [damaged[k]?.line ?? '', whole, '']);
      const { refused } = await importMemory(curator(asking), scope, lines.join('\n'));
      const found = refused.map(({ line }) => line);
      const wanted = damaged.map((_, k) => 3 * k + 1);
      if (!isEqual(found, wanted))
        world.kernel.fail('each by itself', `of ${lines.join('\n')} the lines ${found.join()} are refused`);
      return [{ citationId: IMPORTED_CITATION }];
    },
  },
  {
    name: 'a message that nobody asked for',
    role: 'trigger',
    codes: [],
    send: async (asking) => {
      const { world, actor, scope, random } = asking;
      const { store, clock, ids, queue } = operator(asking);
      const message = random.pick([
        { scope: 'nowhere', kind: 'incremental' },
        { scope, kind: 'novel' },
      ]);
      actor.scope = message.scope;
      world.count(`a message that nobody asked for: ${message.kind}`);
      const requestedAtMs = clock.nowMs();
      const trigger = { triggerId: triggerIdOf(requestedAtMs, ids.fresh()), origin: 'drain', ...message } as const;
      await store.write(putTrigger({ ...trigger, requestedAtMs }, ids.fresh()));
      await queue.send({ v: 1, ...trigger, parallel: 3 });
      return [];
    },
  },
  {
    name: 'turns that came before, under another title',
    role: 'ingest',
    codes: [],
    send: async (asking) => {
      const { random, scope } = asking;
      const turns = Array.from({ length: 2 }, () => random.int(1, 5)).map((n) => {
        return { id: `t${n}`, speaker: `Ann (${n}):`, text: `No claim, ${n} times.` };
      });
      const title = random.pick([{ title: 'A talk\u0000' }, { title: '' }, {}]);
      await appendTurns(ingest(asking), { scope, id: TALK_ID, body: { turns, completed: true, ...title } });
      return [];
    },
  },
  {
    name: 'turns for a transcript that is none',
    role: 'ingest',
    codes: ['not_turns'],
    send: async (asking) => {
      const { world, scope } = asking;
      const deps = ingest(asking);
      const source = { kind: 'transcript', id: TEXT_ID, text: 'Nobody said anything.', format: 'text' };
      const row = world.tables.peek(world.tables.partitionOf(scope), `SOURCE#transcript#${TEXT_ID}`);
      if (row) {
        const body = { turns: [{ id: 'a', speaker: 'Ann', text: 'But I did.' }], completed: true };
        await appendTurns(deps, { scope, id: TEXT_ID, body });
        world.kernel.fail('a refused call leaves nothing', 'turns were appended to what is stored as text');
      } else await ingestSources(deps, { scope, body: { sources: [source] } });
      return [];
    },
  },
];
