/** Sources that are none, one by one and all of a call, and turns that nothing can be appended to. */
import { appendTurns } from '../../../functions/ingest/append-turns.ts';
import { ingestSources } from '../../../functions/ingest/run.ts';
import { completeUpload, putPart } from '../../../functions/ingest/upload.ts';
import { HttpError, parseOr400 } from '../../../functions/io/http.ts';
import { sha256Of } from '../../../schema/ids.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { appendBodySchema, completeBodySchema, ingestBodySchema } from '../../../schema/source-api.ts';
import { type Asking, ingest, LONG, type SloppyCall } from './sloppy-call.ts';
import { isEqual } from '../engine/expression.ts';
import { TURNED_DOWN } from '../plans/source-forms.ts';

/** Takes the refusal of each source for one of the call, where all are refused alike. */
async function sendSources(asking: Asking, body: unknown, codes: readonly string[]): Promise<void> {
  const { results } = await ingestSources(ingest(asking), {
    scope: asking.scope,
    body: parseOr400(ingestBodySchema, body, 'body'),
  });
  const found = results.map(({ error }) => error?.code ?? 'taken');
  if (!isEqual(found, codes)) asking.world.kernel.fail('each by itself', `${found.join()} in place of ${codes.join()}`);
  throw new HttpError(422, 'refused', 'all sources of a call');
}

const turn = { id: 'a', speaker: 'Ann', text: 'Hello.' };
const ODD_APPENDS = [
  {},
  { turns: [] },
  { turns: [], completed: false, title: LONG },
  { turns: [{ speaker: 'Ann', text: 'No id.' }] },
  { turns: [{ ...turn, id: 'i'.repeat(LIMITS.turnIdCharactersMax + 1) }] },
  { turns: [{ ...turn, speaker: '' }] },
  { turns: [{ ...turn, at: LONG }], done: true },
  { turns: Array.from({ length: 12 }, () => ({ id: 1, speaker: 2, text: 3 })) },
  { turns: { 0: turn } },
  { turns: Array.from({ length: LIMITS.appendedTurnsMax + 1 }, () => turn) },
];

const append = (asking: Asking, id: string, body: unknown) =>
  appendTurns(ingest(asking), { scope: asking.scope, id, body: parseOr400(appendBodySchema, body, 'body') });

const differing = (count: number) =>
  Array.from({ length: count }, (_, k) => [
    { ...turn, id: `d${k}` },
    { ...turn, id: `d${k}`, text: 'Good-bye.' },
  ]).flat();

const BYTES = Buffer.from('Nothing of this is ever completed.');
const upload = ({ scope }: Asking) =>
  ({ scope, kind: 'note', id: 'never completed', sha256: sha256Of([BYTES]) }) as const;

export const SLOPPY_SOURCES: readonly SloppyCall[] = [
  {
    name: 'a call that carries no sources',
    role: 'ingest',
    codes: ['invalid_request'],
    send: (asking) => {
      const many = Array.from({ length: LIMITS.ingestSourcesMax + 1 }, () => ({ id: 'a', text: 'Hello.' }));
      const body = asking.random.pick([
        {},
        { sources: [] },
        { sources: 's' },
        { sources: many },
        { source: 's' },
        null,
      ]);
      return sendSources(asking, body, []);
    },
  },
  {
    name: 'sources that are none',
    role: 'ingest',
    codes: ['refused'],
    send: (asking) => {
      const picked = Array.from({ length: asking.random.int(1, 3) }, () => asking.random.pick(TURNED_DOWN));
      return sendSources(
        asking,
        { sources: picked.map(([, body]) => body) },
        picked.map(([code]) => code),
      );
    },
  },
  {
    name: 'malformed: append',
    role: 'ingest',
    codes: ['invalid_request'],
    send: (asking) => append(asking, 'odd', asking.random.pick(ODD_APPENDS)),
  },
  {
    name: 'turns that cannot be appended',
    role: 'ingest',
    codes: ['own_memory', 'empty_text', 'turn_differs'],
    send: (asking) => {
      const turns = asking.random.pick([
        [{ ...turn, speaker: 'nightjar: worker' }],
        [{ ...turn, speaker: ` Nightjar:${'r'.repeat(100)}` }],
        [{ ...turn, text: ' \n' }],
        differing(1),
        differing(2),
        differing(7),
      ]);
      return append(asking, 'never so', { turns });
    },
  },
  {
    name: 'a part of nothing',
    role: 'ingest',
    codes: ['empty_part'],
    send: (asking) => putPart(ingest(asking), { ...upload(asking), part: 0, bytes: new Uint8Array() }),
  },
  {
    name: 'an upload of which nothing was sent',
    role: 'ingest',
    codes: ['parts_missing'],
    send: (asking) => {
      const body = completeBodySchema.parse({ parts: asking.random.int(1, 3) });
      return completeUpload(ingest(asking), { ...upload(asking), body });
    },
  },
  {
    name: 'malformed: complete',
    role: 'ingest',
    codes: ['invalid_request'],
    send: (asking) => {
      const bodies = [{}, { parts: 0 }, { parts: LIMITS.uploadPartsMax + 1 }, { parts: 1, text: 'x' }, { parts: '1' }];
      const body = parseOr400(completeBodySchema, asking.random.pick(bodies), 'body');
      return completeUpload(ingest(asking), { ...upload(asking), body });
    },
  },
];
